"""The forecast for this machine: the preset ``here`` with what a calibration measured laid over the catalog."""

from __future__ import annotations

from roundtrip.catalog.load import range_of
from roundtrip.engine.calibrate import Calibration
from roundtrip.engine.engine import Engine
from roundtrip.figures.figure import Figure
from roundtrip.journey.scenario import Scenario, load_scenario

SOURCE = "this-machine"


def measured_figures(calibration: Calibration) -> dict[str, Figure]:
    """Return the figures of a calibration by their place in a scenario."""
    note = f"{calibration.processor}, one thread, {calibration.date}"
    found: dict[str, Figure] = {}
    for key, m in calibration.figures().items():
        least, most = range_of(key.rpartition(".")[2])
        shape = "fixed" if m.low == m.high else "share" if most == 1.0 and m.high < 1.0 else "lognormal"
        found[key] = Figure(
            m.value, m.low, m.high, m.unit, "measured", SOURCE, shape=shape, note=note, least=least, most=most
        )
    return found


def counted(prompt: str, prompt_tokens: int, output_tokens: int) -> dict[str, Figure]:
    """Return the figures that make a forecast of exactly so many tokens, as they were counted in a real answer."""

    def fixed(value: float, unit: str) -> Figure:
        return Figure(value, value, value, unit, "measured", SOURCE, shape="fixed", note="counted in the answer")

    # A token of the text for each 100 bytes of it, and a template of all the others.
    longest_B = 100.0
    of_text = max(-(-len(prompt.encode("utf-8", "surrogatepass")) // int(longest_B)), 1)
    return {
        "model.name.bytes_per_token_B": fixed(longest_B, "B"),
        "model.name.template_tokens": fixed(max(prompt_tokens - of_text, 0.0), "token"),
        "model.serving.context_tokens": fixed(prompt_tokens + output_tokens / 2.0, "token"),
        "prompt.reply.output_tokens": fixed(float(max(output_tokens, 1)), "token"),
        "prompt.reply.reasoning_tokens": fixed(0.0, "token"),
    }


def shaped(engine: Engine) -> dict[str, Figure]:
    """Return the sizes of the model that is loaded, where it is another than the preset's."""
    sizes, parameters = engine.model.sizes, float(engine.card.parameters)
    own = {
        "parameters": parameters, "active_parameters": parameters, "layers": sizes.layers, "hidden_width": sizes.width,
        "heads": sizes.heads, "kv_heads": sizes.kv_heads, "head_width": sizes.head_width,
        "inner_width": sizes.inner_width, "vocabulary": sizes.vocabulary,
    }  # fmt: skip
    note = f"counted in {engine.card.file}"
    return {
        f"model.name.{name}": Figure(float(v), float(v), float(v), "1", "measured", SOURCE, shape="fixed", note=note)
        for name, v in own.items()
    }


def here(calibration: Calibration) -> Scenario:
    """Return the preset ``here`` with this machine's numbers."""
    return load_scenario("here").with_measured(measured_figures(calibration))
