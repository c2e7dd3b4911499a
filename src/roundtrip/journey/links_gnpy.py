"""The same line in the words of GNPy [1]_: so that a reader can hold both models against each other.

Every amplifier is written with the gain and the noise figure that ours has, and GNPy's own design is told to change
nothing, so that what is compared is physics and not two planners.

References
----------
.. [1] A. Ferrari et al., "GNPy: an open source application for physical layer aware open optical networks", J. Opt.
   Commun. Netw. 12, C31, 2020, doi:10.1364/JOCN.382906
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from roundtrip.journey.links import Glass, Line, Part
from roundtrip.stages.optics import fiber

NONLINEAR_INDEX_M2_W = 2.6e-20  # GNPy has it built in; another one is written as another effective area


def documents(line: Line) -> dict[str, Any]:
    """Return GNPy's ``equipment``, ``topology`` and ``spectrum``."""
    figures = sorted({line.noise_figure_dB(part) for part in line.parts if part.kind == "amplifier"})
    power_dBm = line.value("launch_power_dBm")
    spacing_Hz, rate_Hz = line.value("channel_spacing_Hz"), line.value("symbol_rate_Hz")
    first_Hz, last_Hz = float(line.frequency_Hz[0]), float(line.frequency_Hz[-1])
    roll_off, transmitter = line.value("line.roll_off"), line.value("transmitter_osnr_dB")
    band = {"f_min": first_Hz - spacing_Hz, "f_max": last_Hz + spacing_Hz}
    equipment = {
        "Edfa": [
            {
                "type_variety": f"noise {figure:g}", "type_def": "fixed_gain", "gain_flatmax": 60.0, "gain_min": 0.0,
                "p_max": line.value("amplifier.saturation_level_dBm"), "nf0": figure, "allowed_for_design": True,
                **band,
            }
            for figure in figures or [5.0]
        ],
        "Fiber": [_fiber(name, glass) for name, glass in line.glasses.items()],
        "Span": [
            {
                "power_mode": False, "delta_power_range_db": [0, 0, 0.5], "max_fiber_lineic_loss_for_raman": 0.25,
                "target_extended_gain": 2.5, "max_length": 500, "length_units": "km", "max_loss": 60, "padding": 0,
                "EOL": 0, "con_in": 0, "con_out": 0,
            }
        ],
        "Roadm": [
            {
                "target_pch_out_db": line.value("roadm_level_dBm"), "add_drop_osnr": line.value("add_drop_osnr_dB"),
                "pmd": 0, "pdl": 0, "restrictions": {"preamp_variety_list": [], "booster_variety_list": []},
            }
        ],
        "SI": [
            {
                "f_min": first_Hz, "f_max": last_Hz, "baud_rate": rate_Hz, "spacing": spacing_Hz,
                "power_dbm": power_dBm, "power_range_db": [0, 0, 1], "tx_power_dbm": line.start_dBm,
                "roll_off": roll_off, "tx_osnr": transmitter, "sys_margins": 0,
            }
        ],
        "Transceiver": [],
    }  # fmt: skip
    spectrum = [
        {
            "f_min": first_Hz, "f_max": last_Hz, "baud_rate": rate_Hz, "slot_width": spacing_Hz, "roll_off": roll_off,
            "tx_osnr": transmitter, "tx_power_dbm": line.start_dBm,
        }
    ]  # fmt: skip
    return {"equipment": equipment, "topology": _topology(line), "spectrum": {"spectrum": spectrum}}


def _fiber(name: str, glass: Glass) -> dict[str, Any]:
    return {
        "type_variety": name,
        "dispersion": glass.dispersion_ps_nm_km * 1e-6,
        "effective_area": glass.effective_area_m2 * NONLINEAR_INDEX_M2_W / glass.nonlinear_index_m2_W,
        "pmd_coef": glass.pmd_ps_sqrt_km * 1e-12 / 1e3**0.5,
    }


def _topology(line: Line) -> dict[str, Any]:
    place = {"location": {"city": "", "region": "", "latitude": 0.0, "longitude": 0.0}}
    elements: list[dict[str, Any]] = [{"uid": "A", "type": "Transceiver", "metadata": place}]
    level, launch = line.start_dBm, line.value("launch_power_dBm")
    half = line.value("connector_loss_dB") / 2.0
    for number, part in enumerate(line.parts, start=1):
        element, level = _element(line, part, level, launch, half)
        elements.append({"uid": f"{number} {part.kind}", "metadata": place, **element})
    elements.append({"uid": "B", "type": "Transceiver", "metadata": place})
    names = [element["uid"] for element in elements]
    connections = [{"from_node": a, "to_node": b} for a, b in pairwise(names)]
    return {"elements": elements, "connections": connections}


def _element(line: Line, part: Part, level: float, launch: float, half: float) -> tuple[dict[str, Any], float]:
    if part.kind == "fiber":
        loss = line.glasses[part.fiber].attenuation_dB_km
        params: dict[str, Any] = {
            "length": part.length_m / 1e3, "loss_coef": loss, "length_units": "km", "att_in": 0, "con_in": half,
            "con_out": half,
        }  # fmt: skip
        glass = line.glasses[part.fiber]
        if glass.slope_ps_nm2_km is not None:
            params |= {"dispersion": glass.dispersion_ps_nm_km * 1e-6, "dispersion_slope": glass.slope_ps_nm2_km * 1e3}
        total: Any = fiber.fiber_loss_dB(part.length_m, loss)
        return {"type": "Fiber", "type_variety": part.fiber, "params": params}, level - total - 2.0 * half
    if part.kind == "amplifier":
        gain = max(launch + part.offset_dB - level, 0.0)
        made = {"gain_target": gain, "tilt_target": 0, "out_voa": 0}
        name = f"noise {line.noise_figure_dB(part):g}"
        return {"type": "Edfa", "type_variety": name, "operational": made}, level + gain
    return {"type": "Roadm"}, min(level, line.value("roadm_level_dBm"))
