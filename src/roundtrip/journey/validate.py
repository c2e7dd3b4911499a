"""Hold the model against what was published: the truth rows of every stage, and data sets in a folder."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from roundtrip.errors import TruthError
from roundtrip.journey import validate_engine
from roundtrip.journey.truth import Row, Score, check, rows

# A room's scores: `validate_<room>.score(directory)`. Those in DATA need a data set of that name; the others hold the
# room against single published figures, and take a data set along where the folder has one.
ROOMS = ("keyboard", "access", "optics", "energy", "eye", "engine", "counts", "disclosures")
DATA = {
    "azure_rtt.csv": "routes",
    "serving_silicon.csv": "silicon",
    "vllm_energy_runs.csv": "serving_energy",
    "vllm_requests/": "requests",
}
BESIDE = ("kernel_tables/",)  # read with another data set


def stage_scores() -> list[dict[str, Any]]:
    """Return one score a stage: the largest error of its truth rows, as a share of what each row allows."""
    by_stage: dict[str, list[Score]] = {}
    for row in rows():
        by_stage.setdefault(row.stage, []).append(_checked(row))
    return [_stage_score(stage, scores) for stage, scores in by_stage.items()]


def room_scores(folder: Path) -> list[dict[str, Any]]:
    """Return the scores of the rooms that are held to single published figures."""
    found: list[dict[str, Any]] = []
    for room in ROOMS:
        found += _run(import_module(f"roundtrip.journey.validate_{room}").score, folder, room)
    return [_plain(score) for score in found]


def _plain(score: dict[str, Any]) -> dict[str, Any]:
    """Return a score whose NumPy numbers are Python's own, as JSON wants them."""
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in score.items()}


def _checked(row: Row) -> Score:
    try:
        return check(row)
    except (TypeError, ValueError) as error:
        raise TruthError(f"truth row {row.stage}:{row.id}: {error}") from None


def _stage_score(stage: str, scores: list[Score]) -> dict[str, Any]:
    shares = [_share(score) for score in scores]
    return {
        "name": f"stage {stage}",
        "metric": "largest error over tolerance",
        "value": max(shares),
        "bar": 1.0,
        "holds": all(score.holds for score in scores),
        "n": len(scores),
        "coverage": None,
        "split": "published single figures",
        "rivals": {},
        "rows": [
            {
                "id": s.row.id,
                "quantity": s.row.quantity,
                "model": s.value,
                "published": s.row.value,
                "unit": s.row.unit,
                "error": s.error,
                "tolerance": s.row.absolute or s.row.tolerance,
                "holds": s.holds,
                "source": s.row.source,
            }
            for s in scores
        ],
    }


def _share(score: Score) -> float:
    allowed = score.row.absolute or score.row.tolerance
    return abs(score.error) / allowed if allowed else (0.0 if score.holds else 1e9)


def validate(truth: str | None = None, fit: str | None = None) -> dict[str, Any]:
    """Score the model.

    Parameters
    ----------
    truth : str, optional
        Folder of data sets, each scored by its file name.
    fit : str, optional
        Folder of data sets to refit the constants on first.

    Returns
    -------
    dict
        ``scores``, ``fits``, ``not_scored`` (files for which no score is built yet) and ``skipped`` (what this machine
        lacks, and how to get it).

    Raises
    ------
    TruthError
        If a folder does not exist or cannot be read.
    """
    for option, folder in (("--truth", truth), ("--fit", fit)):
        if folder is not None and not Path(folder).is_dir():
            raise TruthError(f"{option} {folder}: no such folder")
    folder = Path(truth) if truth is not None else Path("no data sets")
    result: dict[str, Any] = {"scores": [*stage_scores(), *room_scores(folder)], "fits": [], "not_scored": []}
    reason = validate_engine.missing()
    result["skipped"] = [reason] if reason else []
    if fit is not None:
        fitted, _ = _over(fit, "--fit", "fit")
        result["fits"] = fitted
        for made in fitted:
            result["scores"] += _listed(made.get("scores", made if "holds" in made else []))
    if truth is not None:
        scored, result["not_scored"] = _over(truth, "--truth", "score")
        result["scores"] += scored
    return result


def _listed(value: Any) -> list[dict[str, Any]]:
    return list(value) if isinstance(value, list) else [value]


def _over(folder: str, option: str, verb: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Call ``score`` or ``fit`` of each module whose data set lies in the folder; name the files that have none."""
    path = Path(folder)
    found: list[dict[str, Any]] = []
    left: list[str] = []
    try:
        names = sorted(p.name + ("/" if p.is_dir() else "") for p in path.iterdir())
    except OSError as error:
        raise TruthError(f"{option} {folder}: cannot be read: {error.strerror}") from None
    for name in names:
        run = _scorer(name, verb)
        if run is not None:
            found += _listed(_run(run, path, name))
        elif name not in (*DATA, *BESIDE) and not name.lower().startswith(("readme", ".")):
            left.append(name)
    return found, left


def _scorer(name: str, verb: str) -> Callable[[Path], Any] | None:
    room = DATA.get(name)
    if room is None or (verb == "score" and room in ROOMS):
        return None
    return getattr(import_module(f"roundtrip.journey.validate_{room}"), verb, None)


def _run(run: Callable[[Path], Any], path: Path, name: str) -> Any:
    try:
        return run(path)
    except (OSError, UnicodeDecodeError, ValueError, KeyError, IndexError) as error:
        raise TruthError(f"{path / name}: cannot be scored: {type(error).__name__}: {error}") from None
