"""Derivations of the claims about: light, from the laser to error correction."""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.journey.audit.core import Bench, Finding, derives
from roundtrip.stages.network import route
from roundtrip.stages.optics import amplifier, coherent, fec, fiber, roadm, transceiver, wdm

_LONG = "transceivers/coherent-400g-long-haul"
_QAM = "transceivers/coherent-400g-openroadm"
_GLASS = "fibers/g652d"
_LINE = "amplifiers/edfa-terrestrial"


def _ground_m(bench: Bench, start: str, end: str) -> Any:
    """Return the great circle between two places: no line between them is shorter."""
    return bench.use(
        route.great_circle_m,
        from_latitude_deg=bench[f"places/{start}.latitude_deg"],
        from_longitude_deg=bench[f"places/{start}.longitude_deg"],
        to_latitude_deg=bench[f"places/{end}.latitude_deg"],
        to_longitude_deg=bench[f"places/{end}.longitude_deg"],
    )


@derives("A037", latitude="order")
def photons_at_launch(bench: Bench) -> Finding:
    photons = bench.use(
        transceiver.photons_per_bit,
        optical_power_W=bench["transceivers/long-10g-lr.launch_power_W"],
        wavelength_m=bench["transceivers/long-10g-lr.wavelength_m"],
        rate_bit_s=bench["transceivers/long-10g-lr.rate_bit_s"],
    )
    return Finding(
        photons,
        "P lambda / (h c R) for the 10 Gbit/s plug that the document has in mind (SFP+, 1310 nm, -6 to 0 dBm): "
        "a third of the least that is stated. At 400 Gbit/s a milliwatt is 19,500 photons a bit, fifty times fewer.",
    )


@derives("A038", latitude="about")
def single_mode_core(bench: Bench) -> Finding:
    return Finding(
        bench[f"{_GLASS}.core_diameter_m"],
        "Nine micrometers is the trade name (9/125) and the width of the light's spot at 1310 nm; the doped core "
        "itself is about 8.2 um, and the spot at 1550 nm 10.4 um.",
    )


@derives("A039")
def multimode_core(bench: Bench) -> Finding:
    wide_m, narrow_m = bench["fibers/om1.core_diameter_m"], bench["fibers/om4.core_diameter_m"]
    return Finding(
        np.sqrt(wide_m * narrow_m), "50 um (OM2 to OM5) and 62.5 um (OM1); our figure is the middle of both."
    )


@derives("A040")
def bits_of_a_symbol(bench: Bench) -> Finding:
    bits = bench.use(
        coherent.constellation_bits,
        constellation_points=bench[f"{_QAM}.constellation_points"],
        polarizations=bench[f"{_QAM}.polarizations"],
    )
    return Finding(bits, "Two polarizations of log2(16) = 4 bits each.")


@derives("A041", latitude="about")
def slower_in_glass(bench: Bench) -> Finding:
    return Finding(
        bench.use(fiber.slowing, group_index=bench[f"{_GLASS}.group_index"]),
        "1 - 1/n with the group index of 1.468. The document says about 30 % beside an index of about 1.5; 1.5 "
        "would be 33 %, 30 % an index of 1.43: both round the same fact.",
    )


@derives("A042")
def attenuation(bench: Bench) -> Finding:
    return Finding(
        bench[f"{_GLASS}.attenuation_dB_km"],
        "Cabled standard fiber at 1550 nm: 0.18 to 0.22 dB/km; the best pure-silica fiber under the sea 0.15 dB/km.",
    )


@derives("A043")
def lost_in_100_km(bench: Bench) -> Finding:
    loss_dB = bench.use(fiber.fiber_loss_dB, length_m=1e5, attenuation_dB_km=bench[f"{_GLASS}.attenuation_dB_km"])
    return Finding(1.0 - bench.use(fiber.surviving_share, loss_dB=loss_dB), "20 dB leave one part in a hundred.")


@derives("A044")
def amplifier_spacing(bench: Bench) -> Finding:
    return Finding(
        bench[f"{_LINE}.span_m"],
        "A vendor's own description: 80 to 100 km on land. Under the sea repeaters stand every 50 to 80 km.",
    )


@derives("A045")
def pump_980(bench: Bench) -> Finding:
    return Finding(bench[f"{_LINE}.pump_wavelength_m"], "980 nm, the quieter of the two bands that lift erbium.")


@derives("A126")
def pump_1480(bench: Bench) -> Finding:
    return Finding(
        bench["amplifiers/edfa-l-band.pump_wavelength_m"],
        "1480 nm, the more efficient of the two bands that lift erbium.",
    )


@derives("A046")
def amplifier_gain(bench: Bench) -> Finding:
    loss_dB = bench.use(
        amplifier.span_loss_dB,
        length_m=1e5,
        spans=1.0,
        attenuation_dB_km=bench[f"{_GLASS}.attenuation_dB_km"],
        connector_loss_dB=bench[f"{_LINE}.connector_loss_dB"],
    )
    return Finding(
        loss_dB,
        "What a span of 100 km with its connectors takes, and an amplifier gives back; 80 km need 17 dB. Amplifiers "
        "are sold for 8 to 35 dB.",
    )


@derives("A047")
def noise_figure(bench: Bench) -> Finding:
    return Finding(
        bench[f"{_LINE}.noise_figure_dB"],
        "Equipment libraries: 5.5 dB, 6 to 7 dB for others; no erbium amplifier of high gain can be below 3 dB.",
    )


@derives("A048")
def transcontinental_sites(bench: Bench) -> Finding:
    sites = bench.use(
        amplifier.line_sites,
        length_m=_ground_m(bench, "new-york", "los-angeles"),
        span_m=bench[f"{_LINE}.span_m"],
    )
    return Finding(
        sites,
        "New York to Los Angeles on the great circle, a site every 80 km; at 100 km it would be 39. Cables are "
        "longer than that, so coast to coast takes more than the stated range, which fits the document's own 3,000 km.",
    )


@derives("A049")
def channels(bench: Bench) -> Finding:
    band_Hz = bench[f"{_LINE}.band_Hz"]
    count = bench.use(wdm.channel_count, band_Hz=band_Hz, slot_width_Hz=bench[f"{_QAM}.slot_width_Hz"])
    return Finding(
        count,
        "Slots of 87.5 GHz, which 400 Gbit/s at 63 GBd needs, in 4.8 THz of C band; 96 slots of 50 GHz, 48 of 100 GHz. "
        "At 128 GBd there are 32.",
    )


@derives("A050")
def spacing(bench: Bench) -> Finding:
    step_m = bench.use(
        wdm.spacing_as_wavelength_m,
        channel_spacing_Hz=np.sqrt(50e9 * 100e9),
        wavelength_m=bench[f"{_LONG}.wavelength_m"],
    )
    return Finding(
        step_m, "lambda^2 df / c at 1550 nm: 0.40 nm for 50 GHz, 0.80 nm for 100 GHz; our figure is between."
    )


@derives("A051")
def capacity(bench: Bench) -> Finding:
    rate = bench.use(wdm.fiber_capacity_bit_s, channels=96.0, rate_bit_s=bench[f"{_QAM}.rate_bit_s"])
    fits = bench.use(
        wdm.fits,
        symbol_rate_Hz=bench[f"{_QAM}.symbol_rate_Hz"],
        roll_off=bench[f"{_QAM}.roll_off"],
        slot_width_Hz=50e9,
    )
    return Finding(
        rate,
        "96 times 400 Gbit/s is right as arithmetic. But 96 channels need 50 GHz slots in the C band, and 400 Gbit/s "
        f"at 63 GBd {'fits' if np.mean(fits) > 0.5 else 'does not fit'} 50 GHz: the C band alone carries 22 Tbit/s "
        "that way (54 slots), and C and L bands together about 43.",
    )


@derives("A117", latitude="exact")
def slot_for_the_symbol_rate(bench: Bench) -> Finding:
    slot_Hz = bench.use(
        wdm.needed_slot_Hz, symbol_rate_Hz=bench[f"{_QAM}.symbol_rate_Hz"], roll_off=bench[f"{_QAM}.roll_off"]
    )
    return Finding(
        slot_Hz,
        "The narrowest flexible slot that 63 GBd fits: 75 GHz, within the stated range. Its low end, 50 GHz, holds "
        "100 Gbit/s at 32 GBd, not the 400 Gbit/s that the same paragraph multiplies with it.",
    )


@derives("A052", latitude="order")
def mirror_switch(bench: Bench) -> Finding:
    time_s = bench["optical_switches/ocs-palomar.switching_s"]
    ringing_s = bench.use(roadm.mirror_settling_s, resonance_Hz=1e3, quality_factor=2.0, settling_tolerance=0.01)
    return Finding(
        time_s,
        "Milliseconds, as Google's papers say; a mirror that resonates at 1 kHz and is damped to Q = 2 rings for "
        f"{float(np.mean(ringing_s)) * 1e3:.1f} ms until one percent is left.",
        basis="looked-up",
    )


@derives("A053")
def converter_rate(bench: Bench) -> Finding:
    rate = bench.use(
        coherent.converter_rate_Hz,
        symbol_rate_Hz=bench[f"{_QAM}.symbol_rate_Hz"],
        oversampling=bench[f"{_QAM}.oversampling"],
    )
    return Finding(
        rate, "63.1 GBd at 5/4 samples a symbol; at 128 GBd 160 billion a second. Four converters do it at once."
    )


@derives("A054")
def processor_power(bench: Bench) -> Finding:
    return Finding(
        bench[f"{_LONG}.dsp_power_W"],
        "No chip maker publishes it. A whole 400 Gbit/s ZR+ plug takes 21 W, so its chip about 10 W; transponders of "
        "long-haul performance take about twice that. The low end of the range is ours, the high end is older silicon.",
    )


@derives("A055", latitude="order")
def correction_latency(bench: Bench) -> Finding:
    word_s = bench.use(fec.accumulation_s, codeword_bits=5440.0, rate_bit_s=106.25e9)
    long_s = bench[f"{_LONG}.fec_latency_s"]
    return Finding(
        word_s,
        "A KP4 word of 5,440 bits fills in 51 ns at 106 Gbit/s, 26 to 205 ns over all Ethernet rates; decoding adds "
        "tens of nanoseconds. True inside the datacenter. The long haul's codes take microseconds: about "
        f"{float(np.mean(long_s)) * 1e6:.0f}.",
    )


@derives("A090", latitude="about")
def conversions_back(bench: Bench) -> Finding:
    met = ("datacenter.fabric.light", "network.route", "optics.transceiver", "optics.coherent", "network.access")
    total = sum(bench.trip("cloud", f"back.{span}/conversions") for span in met)
    return Finding(
        total / 2.0,
        "Conversions of the default trip between the server and the laptop (light to electrons, or back), two to each "
        "optical stretch. Amplifiers and wavelength switches convert nothing; the rack's plugs and every router do.",
    )


@derives("A116", latitude="order")
def photons_at_receiver(bench: Bench) -> Finding:
    photons = bench.use(
        transceiver.photons_per_bit,
        optical_power_W=bench[f"{_QAM}.receiver_power_W"],
        wavelength_m=bench[f"{_QAM}.wavelength_m"],
        rate_bit_s=bench[f"{_QAM}.rate_bit_s"],
    )
    return Finding(
        photons,
        "A coherent receiver is built for -20 to 0 dBm: 195 to 19,500 photons a bit at 400 Gbit/s, some 2,000 in the "
        "middle. The document repeats the number at launch and forgets both the bit rate and the loss.",
    )


@derives("A118", latitude="about")
def fiber_of_the_opening(bench: Bench) -> Finding:
    return Finding(
        bench.trip("cloud", "optics.fiber/length_m"),
        "Cable from New York to Iowa, one way; the route factor is fitted to measured round trips.",
    )


@derives("B001", latitude="about")
def light_in_a_millisecond(bench: Bench) -> Finding:
    return Finding(
        bench.use(fiber.reach_in_time_m, time_s=1e-3, group_index=bench[f"{_GLASS}.group_index"]),
        "c / 1.468 times a millisecond: 204 km.",
    )
