"""Random traces whose spans hold together."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from roundtrip.trace.model import CARRIERS, Trace
from tests.trace.made import laid, span

# A trace is much to draw and to render: fewer of them than of numbers.
few = settings(max_examples=25)

ROOMS = ("keyboard", "network", "optics", "model", "display", "eye")


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Return a trace of up to 12 spans, each after any of the earlier ones, some of them parts of an earlier one."""
    spans = []
    for number in range(draw(st.integers(1, 12))):
        room = draw(st.sampled_from(ROOMS))
        after = draw(st.lists(st.sampled_from([s.id for s in spans]), max_size=3, unique=True)) if spans else []
        whole = draw(st.sampled_from([None, *(s for s in spans if s.room == room)])) if spans else None
        duration = draw(st.one_of(st.just(0.0), st.floats(1e-10, 30.0)))
        lag = draw(st.one_of(st.just(0.0), st.floats(1e-9, 2.0)))
        joules = draw(
            st.dictionaries(st.sampled_from(["marginal", "allocated", "always_on"]), st.floats(1e-18, 1e4), max_size=3)
        )
        spans.append(
            span(
                f"{room}.s{number}",
                duration,
                draw(st.sampled_from(CARRIERS)),
                tuple(after),
                lag_s=lag,
                energy_J=joules,
                parent=whole.id if whole else None,
                photons=draw(st.one_of(st.none(), st.floats(1e-6, 1e20))),
            )
        )
    return laid(spans, whole_s={"end_of": spans[-1].id}, energy_J={"heads": True})
