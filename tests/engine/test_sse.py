"""The reader of server-sent events: each way in which a stream is cut on the wire that was met in public."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.engine.sse import Event, EventReader


def events(*reads: bytes, end: bool = True) -> list[Event]:
    reader = EventReader()
    found = [event for number, read in enumerate(reads) for event in reader.feed(read, number)]
    return found + (list(reader.end(len(reads))) if end else [])


def texts(*reads: bytes, end: bool = True) -> list[str]:
    return [event.data for event in events(*reads, end=end)]


WIRES = {
    "LF": ((b"data: a\n\ndata: b\n\n",), ["a", "b"]),
    "CR LF": ((b"data: a\r\n\r\ndata: b\r\n\r\n",), ["a", "b"]),
    "CR LF cut between CR and LF": ((b"data: a\r", b"\n", b"\r", b"\ndata: b\r\n\r\n"), ["a", "b"]),
    "CR alone": ((b"data: a\r\rdata: b\r\r",), ["a", "b"]),
    "mixed ends": ((b"data: a\n\r\ndata: b\r\n\n",), ["a", "b"]),
    "comments": ((b":\n\n", b": ping\n\ndata: a\n\n:\n\ndata: b\n\n"), ["a", "b"]),
    "a comment inside": ((b"data: a\n: keep-alive\ndata: b\n\n",), ["a\nb"]),
    "no space": ((b"data:a\n\n",), ["a"]),
    "two spaces": ((b"data:  a\n\n",), [" a"]),
    "U+2028 and U+0085 in a text": (("data: x\u2028y\u0085z\n\n".encode(),), ["x\u2028y\u0085z"]),
    "several data lines": ((b'data: {"t":\ndata: 1}\n\n',), ['{"t":\n1}']),
    "name, id and retry": ((b"event: error\nid: 7\nretry: 10\ndata: a\n\n",), ["a"]),
    "byte order mark": ((b"\xef\xbb\xbfdata: a\n\n",), ["a"]),
    "byte order mark cut": ((b"\xef", b"\xbb", b"\xbfdata: a\n\n"), ["a"]),
    "no blank line at the end": ((b"data: a\n\ndata: [DONE]\n",), ["a", "[DONE]"]),
    "no line feed at the end": ((b"data: a\n\ndata: [DONE]",), ["a", "[DONE]"]),
    "an event without data": ((b"event: ping\n\ndata: a\n\n",), ["a"]),
    "an empty stream": ((), []),
}


@pytest.mark.parametrize("name", WIRES)
def test_wire(name: str) -> None:
    reads, expected = WIRES[name]
    assert texts(*reads) == expected
    whole = b"".join(reads)
    assert texts(*[whole[i : i + 1] for i in range(len(whole))]) == expected, "one byte a read"


def test_split_utf8_is_never_a_replacement_character() -> None:
    wire = 'data: {"t":"é你😀"}\n\n'.encode()
    for cut in range(len(wire)):
        assert texts(wire[:cut], wire[cut:]) == ['{"t":"é你😀"}']


def test_the_end_completes_nothing_unless_it_is_told() -> None:
    assert texts(b"data: a\n\ndata: b\n", end=False) == ["a"]


def test_reads_offsets_and_times() -> None:
    a, b, c = events(b"data: a\n\ndata: b\n\nda", b"ta: c\n\n")
    assert (a.read, b.read, c.read) == (0, 0, 1)
    assert (a.at_ns, c.at_ns) == (0, 1)
    assert (a.offset_B, a.size_B, b.offset_B, b.size_B, c.offset_B) == (0, 9, 9, 9, 18)


def test_comments_are_signs_of_life() -> None:
    reader = EventReader()
    assert not list(reader.feed(b": ping\n\n", 5)) + list(reader.feed(b":\n\n", 9))
    assert reader.comments == [5, 9]


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs",)))),
       st.lists(st.integers(1, 9)), st.sampled_from(("\n", "\r", "\r\n")))  # fmt: skip
def test_any_texts_cut_anywhere_come_out_whole(sent: list[str], sizes: list[int], end: str) -> None:
    wire = "".join(f"data: {text}{end}{end}" for text in sent).encode()
    reads: list[bytes] = []
    while wire:
        size = sizes[len(reads) % len(sizes)] if sizes else 3
        reads.append(wire[:size])
        wire = wire[size:]
    assert texts(*reads) == sent
