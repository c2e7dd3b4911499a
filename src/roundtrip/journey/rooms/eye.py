"""The eye on the way: from the light of the first word to the last word that is understood."""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.journey.way import Mark, Stage, Way
from roundtrip.stages.display import panel
from roundtrip.stages.eye import cone, cortex, legibility, nerve, optics, pupil, reading, retina, rod, spectra

# Which spectrum of `eye.spectra` a kind of screen sends.
LIGHTS = {"lcd": 0, "oled": 1}

AREAS = (
    ("v1", "first_latency_s", "first response of V1: edges"),
    ("v2", "second_latency_s", "V2: contours"),
    ("v4", "fourth_latency_s", "V4: shapes"),
    ("it", "inferotemporal_latency_s", "IT: objects"),
    ("letters", "letter_latency_s", "letters told from shapes"),
    ("n170", "n170_latency_s", "N170: expertise for words"),
    ("word_form", "word_latency_s", "the word form area responds"),
)


def lay(way: Way, light: Mark, streamed: Mark) -> Mark:
    """Lay the reader: optics, then one span from the stimulus to the word, with its overlapping parts, then reading.

    Every latency of the cortex was measured from the onset of the stimulus, so `eye.cortex` starts when the light
    arrives, and retina, nerve and areas are parts of it that overlap; none is added to another.

    Facts: ``words`` of the answer.
    """
    arrived = _lay_optics(way, light)
    known = _lay_cortex(way, arrived)
    _lay_retina(way, arrived, known)
    return _lay_reading(way, arrived, known, streamed)


def _lay_optics(way: Way, light: Mark) -> Mark:
    s = way.stage(optics)
    distance_m = s["display.panel.viewing_distance_m"]
    pupil_m = way.fact("pupil_diameter_m", _pupil_m(s))
    photons = s.use(
        optics.pupil_photons,
        luminance_cd_m2=s["display.panel.white_luminance_cd_m2"],
        pixels=way.facts["patch_pixels"],
        pixel_pitch_m=s["display.panel.pixel_pitch_m"],
        duration_s=s["eye.viewer.fixation_time_s"],
        pupil_diameter_m=pupil_m,
        viewing_distance_m=distance_m,
        photons_per_lumen_s=way.facts["photons_per_lumen_s"],
    )
    passed = s.use(
        optics.transmission,
        wavelength_m=s["display.panel.light_wavelength_m"],
        age_year=s["eye.viewer.age_year"],
    )
    pixel = s.use(optics.pixel_angle_rad, pixel_pitch_m=s["display.panel.pixel_pitch_m"], viewing_distance_m=distance_m)
    blur = s.use(optics.airy_width_rad, wavelength_m=s["display.panel.light_wavelength_m"], pupil_diameter_m=pupil_m)
    letter = s.use(
        optics.letter_frequency_c_deg,
        cycles_per_letter=s["eye.viewer.cycles_per_letter"],
        font_size_m=s["display.font.font_size_m"],
        advance_share=s["display.font.advance_share"],
        viewing_distance_m=distance_m,
    )
    contrast = s.use(optics.modulation, spatial_frequency_c_deg=letter, pupil_diameter_m=pupil_m)
    flight_s = s.use(optics.flight_time_s, viewing_distance_m=distance_m)
    return s.lay(
        "light of the word's patch enters one pupil",
        flight_s,
        "photons",
        after=light,
        photons=photons,
        pupil_diameter_m=pupil_m,
        media_transmission=passed,
        pixel_angle_rad=pixel,
        diffraction_rad=blur,
        letter_frequency_c_deg=letter,
        letter_modulation=contrast,
        **_legible(s, pupil_m),
    )


def _pupil_m(s: Stage) -> Any:
    """Return the reader's pupil: the unified formula for this screen's field, times what is their own."""
    field = s.use(
        optics.field_deg2,
        width_pixels=s["display.panel.width_pixels"],
        height_pixels=s["display.panel.height_pixels"],
        pixel_pitch_m=s["display.panel.pixel_pitch_m"],
        viewing_distance_m=s["display.panel.viewing_distance_m"],
    )
    mean_m = s.use(
        pupil.pupil_watson_yellott_m,
        luminance_cd_m2=s["display.panel.white_luminance_cd_m2"],
        adapting_field_deg2=field,
        pupil_eyes_factor=s["eye.viewer.pupil_eyes_factor"],
        age_year=s["eye.viewer.age_year"],
    )
    return s.use(pupil.own_pupil_m, pupil_diameter_m=mean_m, pupil_factor=s["eye.viewer.pupil_factor"])


def _black_cd_m2(s: Stage) -> Any:
    """Return the luminance of black: what a lamp leaks, and nothing where the pixels shine themselves."""
    if s.way.word("display.panel.kind") == "oled":
        return 0.0
    return s.use(
        panel.black_luminance_cd_m2,
        white_luminance_cd_m2=s["display.panel.white_luminance_cd_m2"],
        contrast_ratio=s["display.panel.contrast_ratio"],
    )


def _legible(s: Stage, pupil_m: Any) -> dict[str, Any]:
    """Return what each part leaves of the contrast of a letter's stroke, and by how much that is enough."""
    pitch_m, distance_m = s["display.panel.pixel_pitch_m"], s["display.panel.viewing_distance_m"]
    white, focal_m = s["display.panel.white_luminance_cd_m2"], s["eye.viewer.eye_focal_length_m"]
    stroke = s.use(
        legibility.stroke_arcmin,
        font_size_m=s["display.font.font_size_m"],
        stroke_share=s["eye.viewer.stroke_share"],
        viewing_distance_m=distance_m,
    )
    finest = s.use(legibility.stroke_frequency_c_deg, stroke_arcmin=stroke)
    pixels = s.use(
        legibility.pixel_modulation,
        spatial_frequency_c_deg=finest,
        pixel_pitch_m=pitch_m,
        viewing_distance_m=distance_m,
    )
    diffraction = s.use(
        legibility.diffraction_modulation,
        spatial_frequency_c_deg=finest,
        wavelength_m=s["display.panel.light_wavelength_m"],
        pupil_diameter_m=pupil_m,
    )
    cones = s.use(
        legibility.cone_modulation,
        spatial_frequency_c_deg=finest,
        cone_aperture_m2=s["eye.viewer.cone_aperture_m2"],
        eye_focal_length_m=focal_m,
    )
    contrast = s.use(
        legibility.screen_contrast,
        white_luminance_cd_m2=white,
        black_luminance_cd_m2=_black_cd_m2(s),
        illuminance_lx=s["eye.viewer.illuminance_lx"],
        screen_reflectance=s["eye.viewer.screen_reflectance"],
    )
    sensitivity = s.use(
        legibility.contrast_sensitivity,
        spatial_frequency_c_deg=finest,
        luminance_cd_m2=white,
        grating_width_deg=s["eye.viewer.grating_width_deg"],
    )
    return {
        "stroke_arcmin": stroke,
        "stroke_frequency_c_deg": finest,
        "pixel_modulation": pixels,
        "diffraction_modulation": diffraction,
        "optics_modulation": s.use(optics.modulation, spatial_frequency_c_deg=finest, pupil_diameter_m=pupil_m),
        "cone_modulation": cones,
        "screen_contrast": contrast,
        "screen_limit_c_deg": s.use(
            legibility.screen_limit_c_deg, pixel_pitch_m=pitch_m, viewing_distance_m=distance_m
        ),
        "cone_limit_c_deg": s.use(
            legibility.cone_limit_c_deg,
            cone_density_1_m2=s["eye.viewer.cone_density_1_m2"],
            eye_focal_length_m=focal_m,
        ),
        "legibility_reserve": s.use(
            legibility.legibility_reserve, contrast=contrast, modulation=pixels, sensitivity=sensitivity
        ),
    }


def _brain_W(s: Stage) -> Any:
    return s.use(
        cortex.brain_power_W,
        brain_mass_kg=s["eye.viewer.brain_mass_kg"],
        oxygen_use_mL_kg_s=s["eye.viewer.oxygen_use_mL_kg_s"],
        oxygen_energy_J_mL=s["eye.viewer.oxygen_energy_J_mL"],
    )


def _lay_cortex(way: Way, arrived: Mark) -> Mark:
    s = way.stage(cortex)
    known_s = s.use(
        cortex.since_onset_s, onset_latency_s=s["eye.viewer.word_latency_s"], earlier_latency_s=arrived.duration_s
    )
    swept_s = s.use(
        cortex.sweep_latency_s,
        onset_latency_s=s["eye.viewer.first_latency_s"],
        areas=s["eye.viewer.areas"],
        area_delay_s=s["eye.viewer.area_delay_s"],
    )
    power_W = _brain_W(s)
    known = s.lay(
        "the word is recognized",
        known_s,
        "chemistry",
        after=arrived,
        always_on_J=s.use(cortex.work_of_thought_J, power_W=power_W, duration_s=known_s),
        brain_power_W=power_W,
        sweep_latency_s=swept_s,
    )
    for name, latency, title in AREAS:
        part = way.stage(cortex)
        seen_s = part.use(
            cortex.since_onset_s,
            onset_latency_s=part["eye.viewer." + latency],
            earlier_latency_s=arrived.duration_s,
        )
        part.lay(
            title,
            np.minimum(seen_s, known_s),
            "chemistry",
            after=arrived,
            id=f"eye.cortex.{name}",
            parent=known,
        )
    return known


def _lay_retina(way: Way, arrived: Mark, known: Mark) -> Mark:
    s = way.stage(retina)
    trolands = s.use(
        retina.retinal_illuminance_td,
        luminance_cd_m2=s["display.panel.white_luminance_cd_m2"],
        pupil_diameter_m=way.facts["pupil_diameter_m"],
    )
    light = LIGHTS[way.word("display.panel.kind")]
    catch = s.use(spectra.catch_share, age_year=s["eye.viewer.age_year"], light=light)
    absorbed_1_s = s.use(
        retina.cone_absorptions_1_s,
        illuminance_td=trolands,
        photons_per_lumen_s=way.facts["photons_per_lumen_s"],
        cone_catch_share=catch,
        cone_aperture_m2=s["eye.viewer.cone_aperture_m2"],
        eye_focal_length_m=s["eye.viewer.eye_focal_length_m"],
    )
    cone_1_s = s.use(
        retina.isomerized_1_s, absorptions_1_s=absorbed_1_s, isomerization_share=s["eye.viewer.isomerization_share"]
    )
    scotopic = s.use(spectra.scotopic_illuminance_td, illuminance_td=trolands, light=light)
    rod_1_s = s.use(
        retina.rod_isomerizations_1_s,
        scotopic_td=scotopic,
        rod_isomerizations_per_td_1_s=s["eye.viewer.rod_isomerizations_per_td_1_s"],
    )
    # Rods are shut off by the light of a page: what is read, cones read.
    shut = s.use(
        retina.rod_response_share,
        isomerizations=rod_1_s * s["eye.viewer.integration_time_s"],
        amplification_1_s2=s["eye.viewer.amplification_1_s2"],
        time_s=s["eye.viewer.response_peak_time_s"],
        activation_delay_s=s["eye.viewer.activation_delay_s"],
    )
    dark_W = s.use(
        retina.dark_power_W,
        rods=s["eye.viewer.rods"],
        atp_rate_1_s=s["eye.viewer.atp_rate_1_s"],
        atp_energy_J=s["eye.viewer.atp_energy_J"],
    )
    own = s["eye.viewer.cone_time_factor"]
    half_s = s.use(cone.half_rise_s, cone_rate_1_s=cone_1_s) * own
    peak_s = s.use(cone.peak_time_s, cone_rate_1_s=cone_1_s) * own
    one_A = s.use(rod.single_photon_A, time_s=s["eye.viewer.response_peak_time_s"])
    chain = {
        name: s[f"eye.viewer.{name}"]
        for name in (
            "transducin_rate_1_s", "rhodopsin_lifetime_s", "effector_lifetime_s", "turnover_1_s", "cgmp_uM",
            "michaelis_uM",
        )
    }  # fmt: skip
    subunits = s.use(
        retina.transducin_count,
        transducin_rate_1_s=chain["transducin_rate_1_s"],
        rhodopsin_lifetime_s=chain["rhodopsin_lifetime_s"],
    )
    cgmp = s.use(retina.hydrolyzed_count, **chain)
    charges = s.use(
        retina.charge_count,
        dark_current_A=s["eye.viewer.dark_current_A"],
        response_share=s["eye.viewer.response_share"],
        integration_time_s=s["eye.viewer.integration_time_s"],
    )
    seen = s.lay(
        "cones turn light to current",
        peak_s,
        "chemistry",
        after=arrived,
        parent=known,
        always_on_J=dark_W * s["eye.viewer.light_adapted_share"] * peak_s,
        retinal_illuminance_td=trolands,
        cone_absorptions_1_s=absorbed_1_s,
        cone_isomerizations_1_s=cone_1_s,
        cone_half_rise_s=half_s,
        cone_current_A=s.use(cone.resting_current_A, cone_rate_1_s=cone_1_s),
        cone_current_per_photon_A=s.use(cone.flash_peak_A, cone_rate_1_s=cone_1_s, isomerizations=1.0),
        rod_current_per_photon_A=one_A,
        rod_isomerizations_1_s=rod_1_s,
        rod_shut_off_share=shut,
        rod_transducins_per_photon=subunits,
        rod_cgmp_per_photon=cgmp,
        rod_charges_per_photon=charges,
        conversions=1.0,
    )
    s = way.stage(nerve)
    bare_s = s.use(
        nerve.conduction_time_s,
        nerve_length_m=s["eye.viewer.bare_length_m"],
        conduction_speed_m_s=s["eye.viewer.bare_speed_m_s"],
    )
    relayed_s = s.use(
        nerve.relay_time_s,
        nerve_length_m=s["eye.viewer.nerve_length_m"],
        conduction_speed_m_s=s["eye.viewer.conduction_speed_m_s"],
        synapse_delay_s=s["eye.viewer.synapse_delay_s"],
    )
    rate = s.use(
        nerve.nerve_rate_bit_s,
        ganglion_cells=s["eye.viewer.ganglion_cells"],
        cell_rate_bit_s=s["eye.viewer.cell_rate_bit_s"],
    )
    shared = s.use(
        nerve.convergence,
        rods=s["eye.viewer.rods"],
        cones=s["eye.viewer.cones"],
        ganglion_cells=s["eye.viewer.ganglion_cells"],
    )
    impulse_W = s.use(
        nerve.impulse_power_W,
        ganglion_cells=s["eye.viewer.ganglion_cells"],
        spike_rate_1_s=s["eye.viewer.spike_rate_1_s"],
        atp_per_spike=s["eye.viewer.atp_per_spike"],
        atp_energy_J=s["eye.viewer.atp_energy_J"],
    )
    return s.lay(
        "impulses run up the nerve",
        bare_s + relayed_s,
        "chemistry",
        after=seen,
        parent=known,
        always_on_J=impulse_W * (bare_s + relayed_s),
        nerve_rate_bit_s=rate,
        receptors_per_axon=shared,
    )


def _lay_reading(way: Way, arrived: Mark, known: Mark, streamed: Mark) -> Mark:
    s = way.stage(reading)
    words = s.use(
        reading.word_count,
        tokens=way.facts["answer_tokens"],
        words_per_token=s["eye.viewer.words_per_token"],
    )
    way.fact("words", words)
    lag_s = way.facts["display_lag_s"] + arrived.duration_s + known.duration_s
    # What is read is the answer: where the model thinks aloud first, its first word comes when that stream has ended.
    thought = way.marks.get("stream.reasoning")
    start: Any = known.end_s if thought is None else np.maximum(known.end_s, thought.end_s + lag_s)
    rate_1_s = s["eye.viewer.reading_rate_1_s"]
    end = s.use(
        reading.end_s,
        answer_start_s=start,
        words=words,
        reading_rate_1_s=rate_1_s,
        last_arrival_s=streamed.end_s,
        seen_lag_s=lag_s,
    )
    fixed_1_s = s.use(
        reading.fixation_rate_1_s,
        fixation_time_s=s["eye.viewer.fixation_time_s"],
        saccade_time_s=s["eye.viewer.saccade_time_s"],
        words_per_fixation=s["eye.viewer.words_per_fixation"],
    )
    fixations = s.use(reading.fixation_count, words=words, words_per_fixation=s["eye.viewer.words_per_fixation"])
    power_W = _brain_W(s)
    read_s = end - known.end_s
    return s.lay(
        "the reader reads to the end",
        read_s,
        "chemistry",
        after=known,
        always_on_J=s.use(cortex.work_of_thought_J, power_W=power_W, duration_s=read_s),
        words=words,
        fixations=fixations,
        reading_s=s.use(reading.duration_s, words=words, reading_rate_1_s=rate_1_s),
        fixation_rate_1_s=fixed_1_s,
    )
