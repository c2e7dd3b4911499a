"""SALib as a judge of our Sobol' indices, on the time to the first token of the default trip."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from roundtrip.figures.figure import Figure
from roundtrip.figures.primitives import ndtri
from roundtrip.figures.sampling import quantile
from roundtrip.journey.program import program
from roundtrip.journey.scenario import load_scenario
from roundtrip.journey.sensitivity import indices

JUDGE = Path(__file__).parents[2] / ".judges" / "salib" / "bin" / "python"
pytestmark = pytest.mark.skipif(not JUDGE.is_file(), reason="SALib is not set up: tools/judges.sh salib")

DRAW = (
    "import json,sys;from SALib.sample import sobol;p=json.load(sys.stdin);"
    "print(json.dumps(sobol.sample(p,16384,calc_second_order=False,seed=1).tolist()))"
)
JUDGED = (
    "import json,sys,numpy as np;from SALib.analyze import sobol;d=json.load(sys.stdin);"
    "r=sobol.analyze(d['problem'],np.array(d['y']),calc_second_order=False,seed=1);"
    "print(json.dumps({k:list(r[k]) for k in ('S1','ST','S1_conf','ST_conf')}))"
)
CAUSES = 8


def _judge(script: str, data: object) -> object:
    done = subprocess.run([JUDGE, "-c", script], input=json.dumps(data), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", ["time_to_first_token_s", "energy_J.allocated"])
def test_salib_finds_the_same_indices(name: str) -> None:
    scenario = load_scenario("cloud")
    keys, run = program(scenario).slice(name)
    figures = [scenario.figure(key) for key in keys]
    ours = indices(name, lambda v: run(v)[0], keys, figures, samples=16_384, seed=1)
    chosen = [i for i in ours.influences if i.cause in keys][:CAUSES]
    places = [keys.index(i.cause) for i in chosen]
    # SALib draws levels between 0 and 1 for these causes; the others stay at their middle on both sides.
    free = set(places)
    held = [f if place in free else _fixed(f) for place, f in enumerate(figures)]
    ours = indices(name, lambda v: run(v)[0], keys, held, samples=16_384, seed=2)
    found = {i.cause: i for i in ours.influences}
    problem = {"num_vars": len(places), "names": [keys[p] for p in places], "bounds": [[0.0, 1.0]] * len(places)}
    levels = np.clip(np.array(_judge(DRAW, problem)), 1e-6, 1.0 - 1e-6)
    values = [np.float64(f.value) for f in figures]
    for column, place in enumerate(places):
        values[place] = quantile(figures[place], levels[:, column], np.asarray(ndtri(levels[:, column])))
    judged = _judge(JUDGED, {"problem": problem, "y": np.asarray(run(values)[0]).tolist()})
    assert isinstance(judged, dict)
    for number, place in enumerate(places):
        influence = found[keys[place]]
        for value, index in ((influence.first, "S1"), (influence.total, "ST")):
            allowed = max(0.02, 2.0 * judged[f"{index}_conf"][number])
            assert value == pytest.approx(judged[index][number], abs=allowed), (keys[place], index)


def _fixed(figure: Figure) -> Figure:
    return replace(figure, low=figure.value, high=figure.value, shape="fixed")
