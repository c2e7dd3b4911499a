"""The GGUF reader: every kind of number, and files that were cut, flipped or made up: named, never believed."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.engine.engine import load
from roundtrip.engine.gguf import GGUF
from roundtrip.errors import ModelError, RoundtripError
from tests.engine.tiny import gguf_bytes, metadata, quantize, tiny_gguf, weights

KINDS = ("F32", "F16", "Q8_0", "Q4_0", "Q4_1")


def plainly(raw: bytes, kind: str) -> list[float]:
    """Read blocks one number at a time, as the specification says."""
    if kind in {"F32", "F16"}:
        form = {"F32": "f", "F16": "e"}[kind]
        return [v for (v,) in struct.iter_unpack("<" + form, raw)]
    numbers: list[float] = []
    size = {"Q8_0": 34, "Q4_0": 18, "Q4_1": 20}[kind]
    for start in range(0, len(raw), size):
        block = raw[start : start + size]
        (scale,) = struct.unpack_from("<e", block)
        if kind == "Q8_0":
            numbers += [scale * q for q in struct.unpack_from("<32b", block, 2)]
            continue
        offset = struct.unpack_from("<e", block, 2)[0] if kind == "Q4_1" else -8 * scale
        nibbles = block[4:] if kind == "Q4_1" else block[2:]
        numbers += [scale * (byte & 15) + offset for byte in nibbles]
        numbers += [scale * (byte >> 4) + offset for byte in nibbles]
    return numbers


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_of_every_kind(tmp_path: Path, kind: str) -> None:
    matrix = np.random.default_rng(1).normal(size=(40, 96)).astype(np.float32)
    path = tmp_path / "one.gguf"
    path.write_bytes(gguf_bytes({"general.name": "one"}, {"m": matrix}, {"m": kind}))
    file = GGUF(path)
    expected = np.array(plainly(quantize(matrix, kind), kind)).reshape(40, 96)
    assert file.tensors["m"].shape == (40, 96)
    np.testing.assert_allclose(file.array("m"), expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(file.array("m", rows=[3, 39, 3]), expected[[3, 39, 3]], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(file.transposed("m"), expected.T, rtol=1e-6, atol=1e-6)
    wide = np.zeros((96, 100), np.float32)
    file.transposed("m", wide[:, 30:70])
    np.testing.assert_array_equal(wide[:, 30:70], file.transposed("m"))
    assert not wide[:, :30].any()
    assert not wide[:, 70:].any()
    assert np.abs(expected - matrix).max() < {"F32": 1e-9, "F16": 2e-3, "Q8_0": 0.03, "Q4_0": 0.6, "Q4_1": 0.3}[kind]


def test_metadata_of_every_type(tmp_path: Path) -> None:
    given_ = {"a": 7, "b": 0.5, "c": "naïve", "d": ["x", ""], "e": [1, 2, 3], "f": True}
    path = tmp_path / "meta.gguf"
    path.write_bytes(gguf_bytes(given_, {}))
    assert GGUF(path).metadata == given_


def refuse(raw: bytes, path: Path, match: str) -> None:
    path.write_bytes(raw)
    with pytest.raises(ModelError, match=match) as caught:
        GGUF(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_gguf_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    refuse(b"", path, "the file is empty")
    refuse(b"GG", path, "cut short")
    refuse(b"PK\3\4" + b"\0" * 100, path, "not a GGUF file")
    refuse(b"GGUF" + struct.pack("<IQQ", 1, 0, 0), path, "version 1")
    refuse(b"GGUF" + struct.pack("<IQQ", 3, 2**60, 0), path, "number of tensors")
    refuse(b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), path, "number of metadata pairs")
    with pytest.raises(ModelError, match="No such file"):
        GGUF(tmp_path / "none.gguf")
    with pytest.raises(ModelError, match="directory"):
        GGUF(tmp_path)


def head(meta: bytes, tensors: bytes, pairs: int = 0, count: int = 0) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", 3, count, pairs) + meta + tensors + b"\0" * 512


def named(name: str) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode()


def test_absurd_sizes_are_refused_before_memory_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "x.gguf"
    refuse(head(named("a") + struct.pack("<IQ", 8, 2**62), b"", 1), path, "the value of 'a'")
    refuse(head(named("a") + struct.pack("<IIQ", 9, 6, 2**61), b"", 1), path, "the length of 'a'")
    refuse(head(named("a") + struct.pack("<IIQ", 9, 8, 2**61), b"", 1), path, "the length of 'a'")
    refuse(head(named("a") + struct.pack("<I", 77), b"", 1), path, "type 77")
    refuse(head(named("a") + struct.pack("<I", 9) + struct.pack("<IQ", 9, 1) * 9, b"", 1), path, "type 9")
    refuse(head(named("a") + struct.pack("<IQ2s", 8, 2, b"\xff\xfe"), b"", 1), path, "no UTF-8")
    refuse(head(b"", named("t") + struct.pack("<I", 2**31), 0, 1), path, "axes")
    refuse(head(b"", named("t") + struct.pack("<IQQIQ", 2, 2**40, 2**40, 0, 0), 0, 1), path, "would end at byte")
    refuse(head(b"", named("t") + struct.pack("<IQIQ", 1, 4, 0, 2**63), 0, 1), path, "would end at byte")
    refuse(head(b"", named("t") + struct.pack("<IQIQ", 1, 33, 3, 0), 0, 1), path, "which Q4_1 cannot have")
    refuse(head(b"", named("t") + struct.pack("<IQIQ", 1, 0, 0, 0), 0, 1), path, "which F32 cannot have")
    refuse(head(b"", named("t") + struct.pack("<IQIQ", 1, 32, 999, 0), 0, 1), path, "kind 999")
    refuse(head(b"", named("t") + struct.pack("<IQIQ", 1, 256, 12, 0), 0, 1), path, "stored as Q4_K; this engine reads")
    twice = named("t") + struct.pack("<IQIQ", 1, 4, 0, 0)
    refuse(head(b"", twice * 2, 0, 2), path, "stands twice")
    refuse(head(named("general.alignment") + struct.pack("<II", 4, 33), twice, 1, 1), path, "power of two")


def test_a_file_cut_anywhere_is_named(tmp_path: Path) -> None:
    whole = tiny_gguf(tmp_path / "tiny.gguf").read_bytes()
    path = tmp_path / "cut.gguf"
    tensors = min(t.offset_B for t in GGUF(tmp_path / "tiny.gguf").tensors.values())
    for size in [*range(0, tensors, 13), tensors, *range(tensors + 1, len(whole), 9973), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(ModelError, match=r"cut\.gguf"):
            GGUF(path)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, int]:
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    whole = tiny_gguf(path, kind="Q8_0").read_bytes()
    return path.with_name("flipped.gguf"), whole, min(t.offset_B for t in GGUF(path).tensors.values())


@given(st.data())
def test_flipped_bytes_are_read_or_named(tiny: tuple[Path, bytes, int], data: st.DataObject) -> None:
    path, whole, tensors = tiny
    raw = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(4, tensors - 8))
        if data.draw(st.booleans()):
            raw[place] = data.draw(st.integers(0, 255))
        else:  # a whole count
            raw[place : place + 8] = struct.pack(
                "<Q", data.draw(st.sampled_from([0, 1, 2**31, 2**32, 2**63, 2**64 - 1]))
            )
    path.write_bytes(raw)
    try:
        engine = load(path)
        ids = engine.tokenizer.encode("The capital of France")
        assert engine.model.forward([(engine.model.cache(), ids)]).logits[0].shape == (300,)
    except RoundtripError as error:
        assert "\n" not in str(error)  # noqa: PT017


def changed(path: Path, change: dict[str, object]) -> Path:
    made = metadata() | change
    path.write_bytes(gguf_bytes({k: v for k, v in made.items() if v is not None}, weights()))
    return path


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"general.architecture": "qwen2"}, "architecture 'qwen2'; this engine runs 'llama' only"),
        ({"general.architecture": None}, "architecture None"),
        ({"llama.expert_count": 8}, "mixture of experts"),
        ({"llama.rope.scaling.type": "yarn"}, "positions are scaled"),
        ({"llama.block_count": 3}, r"no tensor 'blk\.2"),
        ({"llama.block_count": 1}, r"'blk\.1.* has no place"),
        ({"llama.embedding_length": 128}, "not the width of a head"),
        ({"llama.feed_forward_length": 999_999_999}, "has shape"),
        ({"llama.attention.head_count_kv": 3}, "do not fit"),
        ({"llama.attention.head_count_kv": 4}, "has shape"),
        ({"llama.attention.head_count": 0}, "is 0"),
        ({"llama.attention.head_count_kv": True}, "is True"),
        ({"llama.attention.key_length": 999_999_999}, "not the width of a head"),
        ({"llama.context_length": None}, "is None"),
        ({"llama.rope.dimension_count": 8}, "not the width of a head"),
        ({"tokenizer.ggml.model": "llama"}, "tokenizer 'llama'"),
        ({"tokenizer.ggml.pre": "qwen2"}, "cut by 'qwen2'"),
        ({"tokenizer.ggml.tokens": [1, 2]}, "no list of texts"),
        ({"tokenizer.ggml.merges": ["Ġt"]}, "no pair"),
        ({"tokenizer.ggml.merges": ["q z"]}, "makes no token"),
        ({"tokenizer.ggml.token_type": [1, 1]}, "do not fit"),
        ({"tokenizer.ggml.eos_token_id": 300}, "no token"),
        ({"tokenizer.ggml.add_bos_token": True}, "in front of every text"),
    ],
)
def test_models_that_cannot_be_run_say_why(tmp_path: Path, change: dict[str, object], match: str) -> None:
    path = changed(tmp_path / "other.gguf", change)
    with pytest.raises(ModelError, match=match) as caught:
        load(path)
    assert str(path) in str(caught.value)


def test_weights_without_a_place_are_named(tmp_path: Path) -> None:
    path = tmp_path / "bias.gguf"
    path.write_bytes(gguf_bytes(metadata(), weights() | {"blk.0.attn_q.bias": np.zeros(64, np.float32)}))
    with pytest.raises(ModelError, match=r"'blk\.0\.attn_q\.bias' has no place"):
        load(path)
    path.write_bytes(gguf_bytes(metadata(), {k: v for k, v in weights().items() if k != "token_embd.weight"}))
    with pytest.raises(ModelError, match="no embedding table"):
        load(path)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_are_no_numbers_are_named(tmp_path: Path, kind: str) -> None:
    path = tiny_gguf(tmp_path / "tiny.gguf", kind=kind)
    raw = bytearray(path.read_bytes())
    place = GGUF(path).tensors["blk.1.ffn_up.weight"].offset_B
    raw[place : place + 4] = b"\xff" * 4  # no number in two or in four bytes
    path.write_bytes(raw)

    def run() -> None:
        engine = load(path)
        engine.model.forward([(engine.model.cache(), [5, 6, 7])])

    with pytest.raises(ModelError, match=r"no finite number|not finite numbers"):
        run()
