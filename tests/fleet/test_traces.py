"""Traces: what each form means, and each way in which one can be wrong, by line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from roundtrip.errors import DomainError
from roundtrip.fleet.simulate import simulate
from roundtrip.fleet.traces import read
from tests.fleet.made import cluster

AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
OWN = "arrival_s,prompt_tokens,output_tokens\n"


def wrote(folder: Path, text: str, name: str = "trace.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_azure(tmp_path: Path) -> None:
    work = read(wrote(tmp_path, AZURE + "2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n"))
    np.testing.assert_allclose(work.arrival_s, [0.0, 4.314579], rtol=0, atol=1e-6)
    assert work.prompt.tolist() == [374, 396]
    assert work.output.tolist() == [44, 109]


def test_mooncake(tmp_path: Path) -> None:
    lines = [
        {"timestamp": 0, "input_length": 1000, "output_length": 5, "hash_ids": [0, 1]},
        {"timestamp": 1500, "input_length": 1100, "output_length": 6, "hash_ids": [0, 2, 3]},
    ]
    work = read(wrote(tmp_path, "\n".join(map(json.dumps, lines)), "trace.jsonl"))
    assert work.arrival_s.tolist() == [0.0, 1.5]
    offsets, nodes, pages, start = work.trie(16)
    assert offsets.tolist() == [0, 2, 5]
    assert nodes[0] == nodes[2], "both begin with the same block"
    assert pages[nodes].tolist() == [32, 30, 32, 32, 4]
    assert start[nodes].tolist() == [0, 32, 0, 32, 64]


def test_our_own_with_sessions_and_priorities(tmp_path: Path) -> None:
    head = "arrival_s,prompt_tokens,output_tokens,session,priority\n"
    work = read(wrote(tmp_path, head + "0,1,2,ann,1\n1.5,3,4,bob,0\n2,5,6,ann,2\n"))
    assert work.session.tolist() == [0, 1, 0]
    assert work.priority.tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        (OWN, "no requests under its header"),
        (OWN + "0,10,10\n2,10,10\n1,10,10\n", "line 4: arrival_s = 1 is before line 3"),
        (OWN + "0,10,10\n-1,10,10\n", "line 3: arrival_s = -1: a time before zero"),
        (OWN + "0,10,10\nnan,10,10\n", "line 3: arrival_s = nan: expected a finite time"),
        (OWN + "0,10,10\ninf,10,10\n", "line 3: arrival_s = inf"),
        (OWN + "0,10,10\n1,,10\n", "line 3: prompt_tokens = ''"),
        (OWN + "0,10,10\n1,many,10\n", "line 3: prompt_tokens = 'many'"),
        (OWN + "0,10,10\n1,-5,10\n", "line 3: prompt_tokens = -5: expected at least 1 token"),
        (OWN + "0,0,10\n", "line 2: prompt_tokens = 0"),
        (OWN + "0,10,-1\n", "line 2: output_tokens = -1"),
        (OWN + "0,10.5,1\n", "line 2: prompt_tokens = 10.5: expected a whole number"),
        (OWN + "0,1e30,1\n", "line 2: prompt_tokens = 1e30: expected at most"),
        (OWN + "0,10\n", "line 2: 2 fields, the header has 3"),
        ("arrival_s,prompt_tokens\n0,1\n", "line 1: the column 'output_tokens' is missing"),
        ("arrivals,prompt_tokens,output_tokens\n0,1,1\n", "did you mean 'arrivals'"),
        (AZURE + "yesterday,1,1\n", "line 2: TIMESTAMP = 'yesterday', expected a date and time"),
        (AZURE + "2023-11-16 18:15:46,1,1\nNaT,1,1\n", "line 3: TIMESTAMP = 'NaT'"),
        (OWN + '0,"10,1\n', "line"),
    ],
)
def test_a_bad_csv_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DomainError) as caught:
        read(wrote(tmp_path, text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 1: no JSON"),
        ("{}\n", "missing"),
        ('{"timestamp": 0, "input_length": 5, "output_length": 1}\n[1]\n', "line 2: expected an object, not list"),
        (
            '{"timestamp": 0, "input_length": 5, "output_length": 1}\n{"timestamp": 1}\n',
            "line 2: 'input_length' is missing",
        ),
        ('{"timestamp": null, "input_length": 5, "output_length": 1}\n', "line 1: timestamp = 'None'"),
        ('{"timestamp": true, "input_length": 5, "output_length": 1}\n', "line 1: timestamp = 'True'"),
        ('{"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": [1, 2]}\n', "line 1: 2 blocks of 512"),
        ('{"timestamp": 0, "input_length": 5, "output_length": 1, "hash_ids": "x"}\n', "line 1: blocks = x"),
    ],
)
def test_bad_json_lines_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DomainError) as caught:
        read(wrote(tmp_path, text, "trace.jsonl"))
    assert message in str(caught.value)


def test_no_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DomainError, match="not UTF-8"):
        read(path)


def test_sorting_is_said(tmp_path: Path) -> None:
    work = read(wrote(tmp_path, OWN + "3,10,1\n1,20,2\n2,30,3\n"), sort=True)
    assert work.prompt.tolist() == [20, 30, 10]
    assert work.arrival_s.tolist() == [0.0, 1.0, 2.0]
    assert "line 3" in work.notes[0]


def test_an_answer_of_nothing_is_one_token(tmp_path: Path) -> None:
    work = read(wrote(tmp_path, OWN + "0,10,5\n1,10,0\n"))
    assert work.output.tolist() == [5, 1]
    assert "line 3" in work.notes[0]


def test_a_billion_tokens_are_refused_or_served_but_never_hang(tmp_path: Path) -> None:
    work = read(wrote(tmp_path, OWN + "0,10,5\n1,1000000000,10\n2,10,1000000000\n3,10,5\n"))
    small = simulate(work, cluster(pages=1000))
    assert small.refused.tolist() == [1, 2]
    assert small.done.sum() == 2
    large = simulate(work, cluster(pages=10**9))
    assert large.done.all()
    assert large.state.requests["last_s"][2] > 4e6, "a thousand million steps are some events"
