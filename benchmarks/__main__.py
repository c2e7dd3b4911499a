"""Print the benchmarks as a table, or with ``--json`` as JSON; name cases to run only those."""

from __future__ import annotations

import argparse
import json
import math

from benchmarks import carry, cases, engine, fleet, fleet_size, lab, optics
from benchmarks.cases import Result

CASES = {**cases.CASES, **optics.CASES, **lab.CASES, **engine.CASES, **fleet.CASES, **fleet_size.CASES, **carry.CASES}


def main() -> None:
    """Run the cases that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], help=f"one or more of {', '.join(CASES)}")
    parser.add_argument("--json", action="store_true", help="print JSON")
    chosen = parser.parse_args()
    results = [result for name in chosen.cases or CASES for result in CASES[name]()]
    if chosen.json:
        print(json.dumps({"benchmarks": [_as_dict(r) for r in results]}, indent=2))
        return
    print(f"{'':<38} {'measured':>18} {'limit':>18}")
    for r in results:
        sign = {True: "holds", False: "MISSED", None: ""}[r.holds]
        limit = "" if r.limit is None else f"{'≥' if r.least else '≤'} {r.limit:g} {r.unit}"
        print(f"{r.name:<38} {f'{r.value:.3g} {r.unit}':>18} {limit:>18} {sign:<7} {r.note}".rstrip())
        for peer, value in r.beside.items():
            shown = "not installed" if math.isnan(value) else f"{value:.3g} {r.unit}"
            ratio = "" if math.isnan(value) else f"{_short(value / r.value)} times ours"
            print(f"{'  ' + peer:<38} {shown:>18} {'':>18} {'':<7} {ratio}".rstrip())
    print("\nProcessor time, best of five.")


def _short(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.2g}"


def _as_dict(result: Result) -> dict[str, object]:
    beside = {peer: None if math.isnan(v) else v for peer, v in result.beside.items()}
    return {
        "name": result.name,
        "value": result.value,
        "unit": result.unit,
        "limit": result.limit,
        "holds": result.holds,
        "note": result.note,
        "beside": beside,
    }


if __name__ == "__main__":
    main()
