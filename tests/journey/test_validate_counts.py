"""The scores of the counts: published figures, and a table of training runs where a folder has one."""

from __future__ import annotations

from pathlib import Path

import pytest

from roundtrip.errors import TruthError
from roundtrip.journey.validate_counts import TABLE, score

HEAD = "group,quantity,value,unit,config\n"
RUN = "LLAMA3_70B 64 H100 FP8 GBS 128 seq 8192 TP4"


def table(folder: Path, text: str) -> None:
    (folder / TABLE).write_text(HEAD + text, encoding="utf-8")


def test_the_published_figures_hold(tmp_path: Path) -> None:
    found = score(tmp_path)
    assert [s["holds"] for s in found] == [True, True, True]
    assert found[0]["exact"] >= 50
    assert found[0]["without_a_published_number"] == ["nemotron-nano-12b-v2"]
    assert all(len(s["rows"]) == s["n"] for s in found)


def test_a_table_of_runs_is_scored_by_pairs(tmp_path: Path) -> None:
    table(tmp_path, f"step,tokens/s/GPU,1602,tok/s,{RUN}\nstep,model TFLOP/s/GPU,719,TFLOP/s,{RUN}\n"
                    "step,tokens/s/GPU,5,tok/s,NoSuchModel 8 H100 seq 4096\n"
                    "step,model TFLOP/s/GPU,5,TFLOP/s,NoSuchModel 8 H100 seq 4096\nother,x,1,s,y\n")  # fmt: skip
    last = score(tmp_path)[-1]
    assert last["n"] == 1
    assert last["coverage"] == 0.5
    assert last["not_known"] == ["NoSuchModel 8 H100 seq 4096"]
    assert last["value"] < 0.001


def test_a_run_that_counts_otherwise_does_not_hold(tmp_path: Path) -> None:
    table(tmp_path, f"step,tokens/s/GPU,1602,tok/s,{RUN}\nstep,model TFLOP/s/GPU,800,TFLOP/s,{RUN}\n")
    assert not score(tmp_path)[-1]["holds"]


@pytest.mark.parametrize(
    ("text", "said"), [(f"step,tokens/s/GPU,many,tok/s,{RUN}\n", "line 2: value = 'many' is not a number")]
)
def test_a_broken_table_is_named_by_line(tmp_path: Path, text: str, said: str) -> None:
    table(tmp_path, text)
    with pytest.raises(TruthError, match=said):
        score(tmp_path)


def test_a_table_without_its_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / TABLE).write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(TruthError, match="expected columns quantity, value and config"):
        score(tmp_path)


def test_a_table_without_pairs_has_no_score(tmp_path: Path) -> None:
    table(tmp_path, f"step,tokens/s/GPU,1602,tok/s,{RUN}\n")
    assert len(score(tmp_path)) == 3
