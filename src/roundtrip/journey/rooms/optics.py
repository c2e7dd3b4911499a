"""The long haul, one way: laser, grid, switches, amplifiers, glass, receiver, error correction.

The line is cut into equal spans. How many spans a signal survives follows from the link budget at its best power, so
the number of times it must be received and sent anew (sections), and with it the number of conversions, is physics and
not a setting. Everything that is met once in each section is laid once, with its time and energy counted for all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roundtrip.journey.way import Mark, Way
from roundtrip.stages.optics import amplifier, coherent, fec, fiber, gsnr, roadm, transceiver, wdm


@dataclass(frozen=True, slots=True)
class Line:
    """What all spans of the long haul need to know about it."""

    length_m: Any
    size_B: Any
    spans: Any
    span_loss_dB: Any
    channels: Any
    capacity_bit_s: Any
    efficiency_1_W2: Any
    best_dBm: Any
    sections: Any
    spans_per_section: Any
    frequency_Hz: Any


def lay(way: Way, after: Mark, back: bool = False) -> Mark:
    """Lay the long haul one way; `back` is the way home, with the size of one streamed event."""
    prefix = "back." if back else ""
    line = plan(way, way.facts["event_wire_B" if back else "request_wire_B"])
    mark = _send(way, line, after, prefix)
    mark = _multiplex(way, line, mark, prefix)
    mark = _switch(way, line, mark, prefix)
    mark = _amplify(way, line, mark, prefix)
    mark = _fly(way, line, mark, prefix)
    mark = _receive(way, line, mark, prefix)
    return _correct(way, line, mark, prefix)


def plan(way: Way, size_B: Any) -> Line:
    """Work out spans, channels, the best power and the sections of the line, as its planner would."""
    s = way.stage(gsnr)
    a = way.stage(amplifier)
    w = way.stage(wdm)
    f = way.stage(fiber)
    length_m = way.facts["cable_m"]
    spans = a.use(amplifier.span_count, length_m=length_m, span_m=a["optics.amplifier.span_m"])
    loss_dB = a.use(
        amplifier.span_loss_dB, length_m=length_m, spans=spans, attenuation_dB_km=a["optics.fiber.attenuation_dB_km"],
        connector_loss_dB=a["optics.amplifier.connector_loss_dB"],
    )  # fmt: skip
    slot_Hz = w["optics.line.slot_width_Hz"]
    channels = w.use(wdm.channel_count, band_Hz=w["optics.amplifier.band_Hz"], slot_width_Hz=slot_Hz)
    capacity = w.use(wdm.fiber_capacity_bit_s, channels=channels, rate_bit_s=w["optics.line.rate_bit_s"])
    wavelength_m = f["optics.line.wavelength_m"]
    frequency_Hz = w.use(wdm.frequency_of_Hz, wavelength_m=wavelength_m)
    alpha = f["optics.fiber.attenuation_dB_km"]
    symbol_rate = s["optics.line.symbol_rate_Hz"]
    efficiency = s.use(
        gsnr.span_efficiency_1_W2,
        nonlinear_coefficient_1_W_m=f.use(
            fiber.nonlinear_coefficient_1_W_m, nonlinear_index_m2_W=f["optics.fiber.nonlinear_index_m2_W"],
            wavelength_m=wavelength_m, effective_area_m2=f["optics.fiber.effective_area_m2"],
        ),
        effective_length_m=f.use(fiber.effective_length_m, span_m=length_m / spans, attenuation_dB_km=alpha),
        asymptotic_length_m=f.use(fiber.asymptotic_length_m, attenuation_dB_km=alpha),
        beta2_s2_m=f.use(
            fiber.beta2_s2_m, dispersion_ps_nm_km=f["optics.fiber.dispersion_ps_nm_km"], wavelength_m=wavelength_m
        ),
        symbol_rate_Hz=symbol_rate, channel_spacing_Hz=slot_Hz, channels=channels,
    )  # fmt: skip
    noise_dB = s["optics.amplifier.noise_figure_dB"]
    best_dBm = s.use(
        gsnr.best_launch_dBm, span_loss_dB=loss_dB, noise_figure_dB=noise_dB, frequency_Hz=frequency_Hz,
        symbol_rate_Hz=symbol_rate, nonlinear_efficiency_1_W2=efficiency,
    )  # fmt: skip
    span_osnr = s.use(
        gsnr.line_osnr_dB, launch_power_dBm=best_dBm, span_loss_dB=loss_dB, noise_figure_dB=noise_dB, spans=1.0,
        frequency_Hz=frequency_Hz,
    )  # fmt: skip
    span_snr = s.use(
        gsnr.joined_snr_dB,
        ase_snr_dB=s.use(gsnr.in_signal_bandwidth_dB, osnr_dB=span_osnr, symbol_rate_Hz=symbol_rate),
        nonlinear_snr_dB=s.use(
            gsnr.line_nonlinear_snr_dB, launch_power_dBm=best_dBm, nonlinear_efficiency_1_W2=efficiency, spans=1.0
        ),
        # Each span's part of the end nodes' noise is left out: it is counted once, in the margin.
        transceiver_snr_dB=100.0,
    )
    reach = s.use(
        gsnr.reach_spans,
        span_snr_dB=span_snr,
        required_snr_dB=s.use(
            gsnr.in_signal_bandwidth_dB, osnr_dB=s["optics.line.required_osnr_dB"], symbol_rate_Hz=symbol_rate
        ),
        design_margin_dB=s["optics.amplifier.design_margin_dB"],
    )
    sections = s.use(gsnr.section_count, spans=spans, reach=reach)
    return Line(
        length_m,
        size_B,
        spans,
        loss_dB,
        channels,
        capacity,
        efficiency,
        best_dBm,
        sections,
        spans / sections,
        frequency_Hz,
    )


def _send(way: Way, line: Line, after: Mark, prefix: str) -> Mark:
    s = way.stage(transceiver)
    rate = s["optics.line.rate_bit_s"]
    photons = s.use(
        transceiver.photons_per_bit, optical_power_W=s["optics.line.launch_power_W"],
        wavelength_m=s["optics.line.wavelength_m"], rate_bit_s=rate,
    )  # fmt: skip
    share_J = s.use(
        transceiver.energy_share_J, power_W=s["optics.line.power_W"], size_B=line.size_B, rate_bit_s=rate,
        fill=s["optics.line.fill"],
    )  # fmt: skip
    return s.lay(
        "bits become laser light", line.sections * s["optics.line.latency_s"], "photons", after=after,
        id=f"{prefix}optics.transceiver", allocated_J=line.sections * share_J, photons=photons * 8.0 * line.size_B,
        bytes_in=line.size_B, bytes_out=line.size_B, conversions=line.sections, photons_per_bit=photons,
    )  # fmt: skip


def _multiplex(way: Way, line: Line, after: Mark, prefix: str) -> Mark:
    s = way.stage(wdm)
    symbol_rate, roll_off = s["optics.line.symbol_rate_Hz"], s["optics.line.roll_off"]
    time_s = s.use(
        wdm.multiplexer_transit_s, path_m=s["optics.roadm.path_m"], group_index=s["optics.fiber.group_index"]
    )
    return s.lay(
        "its color joins the others", time_s, "photons", after=after, id=f"{prefix}optics.wdm",
        channels=line.channels, capacity_bit_s=line.capacity_bit_s,
        occupied_Hz=s.use(wdm.occupied_Hz, symbol_rate_Hz=symbol_rate, roll_off=roll_off),
        fits=s.use(
            wdm.fits, symbol_rate_Hz=symbol_rate, roll_off=roll_off, slot_width_Hz=s["optics.line.slot_width_Hz"]
        ),
    )  # fmt: skip


def _switch(way: Way, line: Line, after: Mark, prefix: str) -> Mark:
    s = way.stage(roadm)
    nodes = s.use(roadm.node_count, length_m=line.length_m, node_spacing_m=s["optics.amplifier.node_spacing_m"])
    time_s = s.use(
        roadm.transit_s, nodes=nodes, path_m=s["optics.roadm.path_m"], group_index=s["optics.fiber.group_index"]
    )
    share_J = s.use(
        roadm.nodes_energy_share_J, nodes=nodes, power_W=s["optics.roadm.power_W"], size_B=line.size_B,
        capacity_bit_s=line.capacity_bit_s, fill=s["optics.amplifier.fill"],
    )  # fmt: skip
    loss_dB = s.use(roadm.passing_loss_dB, nodes=nodes, insertion_loss_dB=s["optics.roadm.insertion_loss_dB"])
    return s.lay(
        "wavelength switches pass it", time_s, "photons", after=after,
        id=f"{prefix}optics.roadm", allocated_J=share_J, nodes=nodes, loss_dB=loss_dB,
    )  # fmt: skip


def _amplify(way: Way, line: Line, after: Mark, prefix: str) -> Mark:
    s = way.stage(amplifier)
    sites = s.use(amplifier.line_sites, length_m=line.length_m, span_m=s["optics.amplifier.span_m"])
    count = s.use(amplifier.amplifier_count, spans=line.spans)
    time_s = s.use(
        amplifier.transit_s, amplifiers=count, gain_fiber_m=s["optics.amplifier.gain_fiber_m"],
        group_index=s["optics.fiber.group_index"],
    )  # fmt: skip
    share_J = s.use(
        amplifier.sites_energy_share_J, sites=sites, power_W=s["optics.amplifier.power_W"], size_B=line.size_B,
        capacity_bit_s=line.capacity_bit_s, fill=s["optics.amplifier.fill"],
    )  # fmt: skip
    return s.lay(
        "amplifiers restore light", time_s, "photons", after=after,
        id=f"{prefix}optics.amplifier", allocated_J=share_J, sites=sites, amplifiers=count, gain_dB=line.span_loss_dB,
        photons_out_per_photon=s.use(amplifier.photons_out_per_photon, gain_dB=line.span_loss_dB),
    )  # fmt: skip


def _fly(way: Way, line: Line, after: Mark, prefix: str) -> Mark:
    s = way.stage(fiber)
    dispersion = s["optics.fiber.dispersion_ps_nm_km"]
    time_s = s.use(fiber.flight_time_s, length_m=line.length_m, group_index=s["optics.fiber.group_index"])
    return s.lay(
        "light flies through glass", time_s, "photons", after=after, id=f"{prefix}optics.fiber",
        length_m=line.length_m,
        loss_dB=s.use(
            fiber.fiber_loss_dB, length_m=line.length_m, attenuation_dB_km=s["optics.fiber.attenuation_dB_km"]
        ),
        accumulated_dispersion_ps_nm=s.use(
            fiber.accumulated_dispersion_ps_nm, length_m=line.length_m, dispersion_ps_nm_km=dispersion
        ),
        polarization_spread_s=s.use(
            fiber.polarization_spread_s, length_m=line.length_m, pmd_ps_sqrt_km=s["optics.fiber.pmd_ps_sqrt_km"]
        ),
    )  # fmt: skip


def _receive(way: Way, line: Line, after: Mark, prefix: str) -> Mark:
    s = way.stage(coherent)
    f = way.stage(fiber)
    rate, wavelength_m = s["optics.line.rate_bit_s"], s["optics.line.wavelength_m"]
    symbol_rate, power_W = s["optics.line.symbol_rate_Hz"], s["optics.line.receiver_power_W"]
    smear = f.use(
        fiber.accumulated_dispersion_ps_nm, length_m=line.length_m,
        dispersion_ps_nm_km=s["optics.fiber.dispersion_ps_nm_km"],
    )  # fmt: skip
    # The filter of each section waits for its own part of the smear; together they wait for the whole.
    wait_s = s.use(
        coherent.dispersion_filter_delay_s, accumulated_dispersion_ps_nm=smear, wavelength_m=wavelength_m,
        symbol_rate_Hz=symbol_rate,
    )  # fmt: skip
    samples = s.use(coherent.converter_rate_Hz, symbol_rate_Hz=symbol_rate, oversampling=s["optics.line.oversampling"])
    taps = s.use(
        coherent.dispersion_filter_taps, accumulated_dispersion_ps_nm=smear / line.sections, wavelength_m=wavelength_m,
        sampling_rate_Hz=samples,
    )  # fmt: skip
    electrons = s.use(
        coherent.released_electrons, receiver_power_W=power_W, quantum_efficiency=s["optics.line.quantum_efficiency"],
        wavelength_m=wavelength_m, size_B=line.size_B, rate_bit_s=rate,
    )  # fmt: skip
    per_bit = s.use(transceiver.photons_per_bit, optical_power_W=power_W, wavelength_m=wavelength_m, rate_bit_s=rate)
    share_J = s.use(
        transceiver.energy_share_J, power_W=s["optics.line.power_W"], size_B=line.size_B, rate_bit_s=rate,
        fill=s["optics.line.fill"],
    )  # fmt: skip
    bits = s.use(
        coherent.constellation_bits, constellation_points=s["optics.line.constellation_points"],
        polarizations=s["optics.line.polarizations"],
    )  # fmt: skip
    return s.lay(
        "receiver undoes the glass",
        line.sections * s["optics.line.dsp_latency_s"] + wait_s, "moving charge", after=after,
        id=f"{prefix}optics.coherent", allocated_J=line.sections * share_J, electrons=electrons,
        photons=per_bit * 8.0 * line.size_B, conversions=line.sections, photons_per_bit=per_bit, bits_per_symbol=bits,
        sampling_rate_Hz=samples, filter_taps=taps,
    )  # fmt: skip


def _correct(way: Way, line: Line, after: Mark, prefix: str) -> Mark:
    s = way.stage(fec)
    g = way.stage(gsnr)
    symbol_rate, required = s["optics.line.symbol_rate_Hz"], s["optics.line.required_osnr_dB"]
    osnr = g.use(
        gsnr.line_osnr_dB, launch_power_dBm=line.best_dBm, span_loss_dB=line.span_loss_dB,
        noise_figure_dB=s["optics.amplifier.noise_figure_dB"], spans=line.spans_per_section,
        frequency_Hz=line.frequency_Hz,
    )  # fmt: skip
    nonlinear = g.use(
        gsnr.line_nonlinear_snr_dB, launch_power_dBm=line.best_dBm, nonlinear_efficiency_1_W2=line.efficiency_1_W2,
        spans=line.spans_per_section,
    )  # fmt: skip
    whole = g.use(
        gsnr.link_gsnr_dB, osnr_dB=osnr, nonlinear_snr_dB=nonlinear, symbol_rate_Hz=symbol_rate,
        transmitter_osnr_dB=s["optics.line.transmitter_osnr_dB"], add_drop_osnr_dB=s["optics.roadm.add_drop_osnr_dB"],
    )  # fmt: skip
    signal = g.use(gsnr.in_signal_bandwidth_dB, osnr_dB=whole, symbol_rate_Hz=symbol_rate)
    ratio = {"DP-QPSK": coherent.qpsk_bit_error_ratio}.get(
        way.word("optics.line.modulation"), coherent.qam16_bit_error_ratio
    )
    c = way.stage(coherent)
    return s.lay(
        "error correction mends bits",
        line.sections * s["optics.line.fec_latency_s"],
        "moving charge",
        after=after,
        id=f"{prefix}optics.fec",
        bytes_in=line.size_B * (1.0 + s["optics.line.overhead"]),
        bytes_out=line.size_B,
        sections=line.sections,
        spans_per_section=line.spans_per_section,
        best_launch_dBm=line.best_dBm,
        osnr_dB=osnr,
        osnr_signal_dB=g.use(gsnr.in_signal_bandwidth_dB, osnr_dB=osnr, symbol_rate_Hz=symbol_rate),
        gsnr_dB=whole,
        gsnr_signal_dB=signal,
        margin_dB=g.use(gsnr.link_margin_dB, gsnr_dB=whole, required_osnr_dB=required),
        # What an ideal receiver would see; a real one is some decibels worse, as its required OSNR says.
        ideal_bit_error_ratio=c.use(ratio, snr_dB=signal),
        threshold_bit_error_ratio=s["optics.line.bit_error_ratio"],
        code_rate=s.use(fec.payload_share, overhead=s["optics.line.overhead"]),
    )
