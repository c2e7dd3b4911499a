"""Derivations of the claims about: eye."""

from __future__ import annotations

from roundtrip.journey.audit.core import Bench, Finding, derives
from roundtrip.stages.eye import cortex, optics, reading, retina

READER = "viewers/adult-30"


@derives("A097")
def light_over_half_a_meter(bench: Bench) -> Finding:
    time_s = bench.use(optics.flight_time_s, viewing_distance_m=bench["displays/laptop-14.viewing_distance_m"])
    return Finding(time_s, "Half a meter, the usual distance of a laptop, over the speed of light.")


@derives("A098", latitude="order")
def transducins_of_a_rhodopsin(bench: Bench) -> Finding:
    count = bench.use(
        retina.transducin_count,
        transducin_rate_1_s=bench[f"{READER}.transducin_rate_1_s"],
        rhodopsin_lifetime_s=bench[f"{READER}.rhodopsin_lifetime_s"],
    )
    return Finding(
        count,
        "Rate times life of the active rhodopsin in a mammal: 12 to 14 effective transducins, each with its "
        "phosphodiesterase, were measured in intact mouse rods (Yue 2019). Older texts count hundreds, from frogs at "
        "room temperature, whose rhodopsin lives longer.",
    )


@derives("A099", latitude="order")
def cgmp_of_a_subunit(bench: Bench) -> Finding:
    rate = bench.use(
        retina.hydrolysis_rate_1_s,
        turnover_1_s=bench[f"{READER}.turnover_1_s"],
        cgmp_uM=bench[f"{READER}.cgmp_uM"],
        michaelis_uM=bench[f"{READER}.michaelis_uM"],
    )
    return Finding(
        rate,
        "Michaelis and Menten at the free cGMP of a rod in the dark; with cGMP in plenty a subunit does 2200 a second. "
        "It is active for only about 0.2 s, so a second's work is never done.",
    )


@derives("A100", latitude="order")
def gain_of_the_cascade(bench: Bench) -> Finding:
    charges = bench.use(
        retina.charge_count,
        dark_current_A=bench[f"{READER}.dark_current_A"],
        response_share=bench[f"{READER}.response_share"],
        integration_time_s=bench[f"{READER}.integration_time_s"],
    )
    bench.use(
        retina.hydrolyzed_count,
        transducin_rate_1_s=bench[f"{READER}.transducin_rate_1_s"],
        rhodopsin_lifetime_s=bench[f"{READER}.rhodopsin_lifetime_s"],
        effector_lifetime_s=bench[f"{READER}.effector_lifetime_s"],
        turnover_1_s=bench[f"{READER}.turnover_1_s"],
        cgmp_uM=bench[f"{READER}.cgmp_uM"],
        michaelis_uM=bench[f"{READER}.michaelis_uM"],
    )
    return Finding(
        charges,
        "The document does not say what it counts. Elementary charges kept out of the cell: a million (the figure "
        "given here). Molecules of cGMP hydrolyzed, which is what its factors 100 and 1000 multiply to: one to twenty "
        "thousand. Transducins: about ten. Only the count of charges reaches its range.",
        verdict="ill-defined",
    )


@derives("A101", latitude="about")
def channels_of_the_nerve(bench: Bench) -> Finding:
    return Finding(
        bench[f"{READER}.ganglion_cells"],
        "Ganglion cells that were counted in human retinas, 0.7 to 1.5 million from eye to eye; each sends one axon.",
    )


@derives("A102", latitude="about")
def power_of_the_brain(bench: Bench) -> Finding:
    power_W = bench.use(
        cortex.brain_power_W,
        brain_mass_kg=bench[f"{READER}.brain_mass_kg"],
        oxygen_use_mL_kg_s=bench[f"{READER}.oxygen_use_mL_kg_s"],
        oxygen_energy_J_mL=bench[f"{READER}.oxygen_energy_J_mL"],
    )
    return Finding(power_W, "49 mL of oxygen a minute, burning glucose. It is nearly the same at rest as in reading.")


@derives("A103")
def light_to_word(bench: Bench) -> Finding:
    flight_s = bench.use(optics.flight_time_s, viewing_distance_m=bench["displays/monitor-27-4k-60.viewing_distance_m"])
    known_s = bench.use(
        cortex.since_onset_s,
        onset_latency_s=bench[f"{READER}.word_latency_s"],
        earlier_latency_s=flight_s,
    )
    return Finding(
        known_s,
        "From the light in the eye to the word form area, measured from the onset of the stimulus. It is recognition "
        "of the word; effects of its meaning peak near 400 ms, so comprehension in the full sense takes longer.",
    )


@derives("A105", latitude="about")
def time_to_read_the_reply(bench: Bench) -> Finding:
    words = bench.use(
        reading.word_count,
        tokens=bench["replies/paragraph.output_tokens"],
        words_per_token=bench[f"{READER}.words_per_token"],
    )
    time_s = bench.use(reading.duration_s, words=words, reading_rate_1_s=bench[f"{READER}.reading_rate_1_s"])
    return Finding(
        time_s,
        "The reply of a paragraph, in words, at 238 words a minute. The document does not say how long its reply is; "
        "10 to 30 s are 40 to 120 words.",
    )
