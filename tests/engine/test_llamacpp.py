"""Our scores beside those of llama.cpp on the same file and the same tokens.

They are not equal: llama.cpp rounds the activations to 8 bits. So the best token may differ where two are close.
"""

from __future__ import annotations

from tests.engine.agreement import agreement
from tests.engine.judging import judge, real_engine, weights_path
from tests.engine.prompts import twenty


def test_llama_cpp_prefers_the_same_tokens() -> None:
    path, engine = weights_path(), real_engine()
    prompts = twenty(engine)
    (theirs,) = judge({"task": "scores", "model": str(path), "prompts": prompts})
    found = agreement(engine, prompts, theirs)
    assert found.prompts == 20
    assert found.last_equal + len(found.misses) == 20
    assert found.last_equal >= 18
    assert all(miss.margin_nat < 0.5 for miss in found.misses), found.misses
    assert found.positions > 400
    assert found.equal / found.positions >= 0.9
    assert found.difference_nat < 0.25
