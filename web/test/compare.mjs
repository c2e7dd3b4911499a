// Holds one generated module to vectors: runs in node and, unchanged, in a browser.
const number = (x) => (typeof x === "string" ? Number(x) : x);

export function compare(module, vectors) {
  let worst = 0;
  let where = null;
  let finite = 0;
  for (let row = 0; row < vectors.rows.length; row++) {
    const values = Object.fromEntries(vectors.inputs.map((key, i) => [key, number(vectors.rows[row][i])]));
    const made = module.evaluate(values);
    vectors.outputs.forEach((name, i) => {
      const ours = made[name];
      const theirs = number(vectors.results[row][i]);
      if (Object.is(ours, theirs) || (Number.isNaN(ours) && Number.isNaN(theirs))) {
        finite += Number.isFinite(ours) ? 1 : 0;
        return;
      }
      finite += 1;
      const error = Math.abs(ours - theirs) / Math.max(Math.abs(theirs), 1e-300);
      if (!(error <= worst)) {
        worst = Number.isNaN(error) ? Infinity : error;
        where = { row, name, ours: String(ours), theirs: String(theirs) };
      }
    });
  }
  return { rows: vectors.rows.length, outputs: vectors.outputs.length, finite, worst, where, keys: module.inputs ? Object.keys(module.inputs) : [] };
}
