"""The question sheet as a PDF, made when the page asks for it: any level, language and paper, the reader's own sliders.

``/sheet.pdf?level=student&paper=letter&km=9000&reply=120``: the names are those of the screen's own address. A static
site has only the ready sheets for children.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from roundtrip.errors import OutputError, RoundtripError, ScenarioError, nearest
from roundtrip.journey.scenario import Scenario, load_scenario, presets
from roundtrip.lab.sheet import SLIDERS, pdf_sheet, trip_of

# What the sliders are called in the address of a page, and their scale there.
IN_ADDRESS = {"km": ("distance", 1e3), "queue": ("queue", 1e-3), "prompt": ("prompt", 1.0), "reply": ("reply", 1.0)}
MOST_WAITING = 4
LONGEST_QUERY = 500


def scenario_of(query: Mapping[str, str]) -> Scenario:
    """Return the trip that the answers of a sheet speak of: a preset, or the four sliders."""
    name = query.get("trip", "")
    if name:
        if name not in presets():
            raise ScenarioError(f"no preset {name[:60]!r}{nearest(name[:60], presets())}")
        return load_scenario(name)
    settings: list[str] = []
    for short, (slider, scale) in IN_ADDRESS.items():
        if short in query:
            try:
                settings.append(f"{SLIDERS[slider][0]}={float(query[short]) * scale!r}")
            except ValueError:
                raise ScenarioError(f"{short}={query[short][:60]!r}: expected a number") from None
    chosen = load_scenario("concept")
    return chosen.with_settings(settings, "the page") if settings else chosen


class Printer:
    """Makes one sheet after the other, and sends away who would wait too long."""

    def __init__(self) -> None:
        self._one = asyncio.Lock()
        self._waiting = 0

    async def sheet(self, request: Request) -> Response:
        """Answer ``/sheet.pdf``."""
        if len(request.url.query) > LONGEST_QUERY:
            return PlainTextResponse("the address is too long", 414)
        if self._waiting >= MOST_WAITING:
            return PlainTextResponse("the printer is busy: ask again in a moment", 503)
        query = dict(request.query_params)
        paper, level, lang = query.get("paper", "a4"), query.get("level", "child"), query.get("lang", "en")
        self._waiting += 1
        try:
            async with self._one:
                trip = await asyncio.to_thread(trip_of, scenario_of(query))
                made = await asyncio.to_thread(pdf_sheet, level, paper, trip, lang)
        except OutputError as error:
            return PlainTextResponse(str(error), 501)
        except RoundtripError as error:
            return PlainTextResponse(str(error), 400)
        finally:
            self._waiting -= 1
        name = f"roundtrip-sheet-{level}-{paper}.pdf"
        return Response(
            made.pdf, media_type="application/pdf", headers={"content-disposition": f'attachment; filename="{name}"'}
        )
