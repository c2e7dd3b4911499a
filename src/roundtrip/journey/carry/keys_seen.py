"""What typing leaves behind to look at, from contacts to characters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from roundtrip.journey.carry.artifact import Artifact, Field
from roundtrip.journey.carry.board import AT
from roundtrip.journey.carry.keymaps import Keymap
from roundtrip.stages.computer import key_event
from roundtrip.stages.keyboard import hid_report
from roundtrip.stages.network import capture

_NAMES = {usage: name for name, usage in hid_report.USAGES.items()}


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen at each step of typing; times in the units of their steps."""

    changes: Sequence[tuple[float, int, bool]]
    told: Sequence[tuple[int, Any, bool]]
    reports: Sequence[tuple[int, bytes]]
    wire: Sequence[capture.Packet]
    monitor: Sequence[capture.Packet]
    stored: bytes
    listed: Sequence[tuple[str, ...]]
    keys: Keymap


def artifacts(seen: Seen, text: str) -> list[Artifact]:
    """Return what there is to look at."""
    reports = b"".join(report for _, report in seen.reports)
    wire = capture.encode([capture.Interface(capture.USB_FULL_SPEED, "usb")], seen.wire)
    monitor = capture.encode([capture.Interface(capture.USB_LINUX, "usb")], seen.monitor)
    given = [("key code", "gives", "text"), *seen.listed]
    gives = f"What each key gives (layout {seen.keys.name}, {seen.keys.origin})"
    return [
        _table("keyboard.switch", "closures", "Contacts that close, open and bounce", list(_closures(seen))),
        _table("keyboard.debounce", "debounced", "What the firmware takes for presses", list(_told(seen))),
        Artifact("keyboard.hid_report", "reports", "Boot reports: modifiers, zero, six keys", "bytes", reports,
                 tuple(_report_fields(seen))),
        Artifact("keyboard.usb", "usb-wire", "USB packets on the wire", "bytes", wire, file="pcapng"),
        Artifact("computer.interrupt", "usb-monitor", "USB transfers as the computer sees them", "bytes", monitor,
                 file="pcapng"),
        Artifact("computer.key_event", "events", "Key events, 24 bytes each", "bytes", seen.stored,
                 tuple(_event_fields(seen.stored))),
        _table("computer.layout", "keys", gives, given),
        Artifact("computer.layout", "typed", "The text at the computer", "text", text, file="txt"),
    ]  # fmt: skip


def _table(stage: str, name: str, title: str, rows: list[tuple[str, ...]]) -> Artifact:
    return Artifact(stage, name, title, "table", rows, file="csv")


def _name(usage: int | None) -> str:
    return "-" if usage is None else _NAMES.get(usage, f"0x{usage:02x}")


def _closures(seen: Seen) -> Iterator[tuple[str, ...]]:
    yield ("time_s", "key", "contact")
    for time_s, usage, closed in seen.changes:
        yield (f"{time_s:.6f}", _name(usage), "closed" if closed else "open")


def _told(seen: Seen) -> Iterator[tuple[str, ...]]:
    yield ("time_ms", "row", "column", "key", "down")
    for time_ms, (row, column), down in seen.told:
        yield (str(time_ms), str(row), str(column), _name(AT.get((row, column))), str(int(down)))


def _report_fields(seen: Seen) -> Iterator[Field]:
    for number, (time_ms, report) in enumerate(seen.reports):
        held = sorted(hid_report.decode(report) or ())
        says = ", ".join(_name(usage) for usage in held) or "no key"
        yield Field(f"report {number + 1} at {time_ms} ms", says, 8 * number, 8)


def _event_fields(stored: bytes) -> Iterator[Field]:
    for number, event in enumerate(key_event.decode(stored)):
        says = f"type {event.type} code {event.code} value {event.value}"
        yield Field(f"{event.time_us / 1e6:.6f} s", says, 24 * number, 24)
