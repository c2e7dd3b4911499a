"""Derivations of the claims about: display."""

from __future__ import annotations

from roundtrip.journey.audit.core import Bench, Finding, derives
from roundtrip.stages.display import framebuffer, link, panel, vsync

DESK = "displays/monitor-27-4k-60"


@derives("A091")
def pixels_of_a_4k_screen(bench: Bench) -> Finding:
    pixels = bench.use(
        framebuffer.pixel_count,
        width_pixels=bench[f"{DESK}.width_pixels"],
        height_pixels=bench[f"{DESK}.height_pixels"],
    )
    return Finding(pixels, "3840 columns times 2160 rows.")


@derives("A092")
def data_rate_of_the_link(bench: Bench) -> Finding:
    clock = bench.use(
        link.clock_Hz,
        width_pixels=bench[f"{DESK}.width_pixels"],
        height_pixels=bench[f"{DESK}.height_pixels"],
        refresh_rate_Hz=bench[f"{DESK}.refresh_rate_Hz"],
        blank_pixels=bench[f"{DESK}.blank_pixels"],
        blank_duration_s=bench[f"{DESK}.blank_duration_s"],
        clock_step_Hz=bench[f"{DESK}.clock_step_Hz"],
    )
    rate = bench.use(
        link.stream_rate_bit_s,
        pixel_clock_Hz=clock,
        depth_bit=bench[f"{DESK}.depth_bit"],
        stream_compression=bench[f"{DESK}.stream_compression"],
    )
    return Finding(
        rate,
        "4K at 60 Hz with 24 bits a pixel and the blanking of CVT-RB, before the line code. The picture alone is "
        "11.9 Gb/s; 120 Hz doubles it, and 10 bits a color at 120 Hz come to 32 Gb/s, still in the range.",
    )


@derives("A093", latitude="order")
def photons_of_a_pixel(bench: Bench) -> Finding:
    photons_per_lumen_s = bench.use(
        panel.photons_per_lumen_second,
        wavelength_m=bench[f"{DESK}.light_wavelength_m"],
        luminous_efficacy_lm_W=bench[f"{DESK}.luminous_efficacy_lm_W"],
    )
    photons = bench.use(
        panel.photons_hemisphere,
        luminance_cd_m2=bench[f"{DESK}.white_luminance_cd_m2"],
        pixel_pitch_m=bench[f"{DESK}.pixel_pitch_m"],
        refresh_rate_Hz=bench[f"{DESK}.refresh_rate_Hz"],
        photons_per_lumen_s=photons_per_lumen_s,
    )
    return Finding(
        photons,
        "White light of a Lambertian pixel into the front hemisphere, 27-inch 4K at 60 Hz. It holds under three "
        "conditions that the document leaves out: hemisphere (a steradian on the axis has a pi-th), white (the 555 nm "
        "short cut gives 2.2 to 2.6 times less), Lambertian (an LCD is narrower). Screens at 200 to 500 cd/m2 make 3e8 "
        "(phone) to 3e10 (television); the upper end of the claim needs a television at more than 1500 cd/m2.",
    )


@derives("A094")
def response_of_an_oled_pixel(bench: Bench) -> Finding:
    return Finding(
        bench["displays/oled-27-240.response_time_s"],
        "Vendors state 0.03 ms from gray to gray for OLED; the driver adds a row time. An LCD needs 5 to 15 ms.",
    )


@derives("A095")
def frequency_of_pwm(bench: Bench) -> Finding:
    return Finding(
        bench["displays/phone-oled-120.pwm_frequency_Hz"],
        "Phones of three large makers stay at 240 to 480 Hz, others advertise 1920 to 4320 Hz; most monitors do not "
        "pulse at all. The stated range is within what is sold, at both ends not its limit.",
    )


@derives("A096", latitude="about")
def frame_interval(bench: Bench) -> Finding:
    interval_s = bench.use(vsync.frame_interval_s, refresh_rate_Hz=bench[f"{DESK}.refresh_rate_Hz"])
    return Finding(
        interval_s,
        "1/60 s is 16.7 ms, which the document cuts to 16 instead of rounding to 17; 1/120 s is 8.3 ms. "
        "Screens of 240 Hz and more are left out.",
    )


@derives("A111")
def light_of_black(bench: Bench) -> Finding:
    interval_s = bench.use(vsync.frame_interval_s, refresh_rate_Hz=bench["displays/oled-27-240.refresh_rate_Hz"])
    photons = bench.use(
        panel.emitter_photons,
        pixel_current_A=bench["displays/oled-27-240.pixel_current_A"],
        duration_s=interval_s,
        external_quantum_efficiency=bench["displays/oled-27-240.external_quantum_efficiency"],
    )
    return Finding(
        photons,
        "A diode without current emits nothing, and no instrument finds light from a black OLED; what a standard "
        "demands is less, 0.0005 cd/m2 at most. Black of an LCD is its white over its contrast, 0.1 to 0.3 cd/m2.",
    )
