"""One span a line, for a spreadsheet."""

from __future__ import annotations

import csv
import io

from roundtrip.trace.model import HEADS, Trace

COLUMNS = (
    "id",
    "name",
    "title",
    "parent",
    "after",
    "start_s",
    "duration_s",
    "duration_low_s",
    "duration_high_s",
    "marginal_J",
    "allocated_J",
    "always_on_J",
    "energy_J",
    "energy_low_J",
    "energy_high_J",
    "carrier",
    "electrons",
    "photons",
    "bytes_in",
    "bytes_out",
    "grade",
    "sources",
    "since",
    "reading",
    "attributes",
)


def trace_csv(trace: Trace) -> str:
    """Return a trace as CSV (RFC 4180) with a header; what is unknown is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for span in trace.spans:
        time, energy = span.bands.get("duration_s", {}), span.bands.get("energy_J", {})
        cells = (
            span.id,
            span.name,
            span.title,
            span.parent,
            " ".join(span.after),
            span.start_s,
            span.duration_s,
            time.get("low"),
            time.get("high"),
            *(span.energy_J.get(head) for head in HEADS),
            span.total_J,
            energy.get("low"),
            energy.get("high"),
            span.carrier,
            span.electrons,
            span.photons,
            span.bytes_in,
            span.bytes_out,
            span.grade,
            " ".join(span.sources),
            span.since[0] if span.since else None,
            span.reading,
            "; ".join(f"{name}={value}" for name, value in span.attributes.items()),
        )
        writer.writerow(["" if cell is None else cell for cell in cells])
    return out.getvalue()
