"""Energy of a training run: paid once, shared by every token that the model will ever write.

The energy is accelerator hours times the power drawn for each (with its share of the server) times the overhead of the
building. BLOOM's 1.08 million hours at 400 W are 433 MWh [1]_; GPT-3's 10,000 accelerators for 14.8 days at 330 W and
a PUE of 1.10 are 1,287 MWh [2]_; Llama 3.1 405B lists 30.84 million hours at 700 W [3]_. Divided by the tokens served
it becomes a few joules or microjoules each: that depends on how long the model is used, which nobody publishes.

Electrons follow from the same energy by its voltage (`model.silicon`).

References
----------
.. [1] A. S. Luccioni, S. Viguier and A.-L. Ligozat, "Estimating the carbon footprint of BLOOM, a 176B parameter
   language model", JMLR 24(253), 2023, section 4, https://arxiv.org/abs/2211.02001
.. [2] D. Patterson et al., "Carbon emissions and large neural network training", 2021, table 4,
   https://arxiv.org/abs/2104.10350
.. [3] Meta, Llama 3.1 model card, https://github.com/meta-llama/llama-models/blob/main/models/llama3_1/MODEL_CARD.md
.. [4] A. Chowdhery et al., "PaLM: scaling language modeling with pathways", 2022, appendix B,
   https://arxiv.org/abs/2204.02311
"""

from __future__ import annotations

from roundtrip.figures.graph import Number

SINCE = (2019, "E. Strubell, A. Ganesh and A. McCallum, Energy and policy considerations for deep learning in NLP")

SECONDS_AN_HOUR = 3600.0
JOULES_A_KWH = 3.6e6


def run_energy_J(accelerator_time_h: Number, accelerator_power_W: Number, pue: Number) -> Number:
    """Return the energy of a run [J].

    Parameters
    ----------
    accelerator_time_h : float
        Hours of all accelerators together [h].
    accelerator_power_W : float
        Mean power of one accelerator with its share of the server [W].
    pue : float
        Energy of the building over that of the equipment.
    """
    return accelerator_time_h * SECONDS_AN_HOUR * accelerator_power_W * pue


def run_carbon_g(energy_J: Number, carbon_intensity_g_kWh: Number) -> Number:
    """Return the carbon of an energy on a given grid [g CO2e]."""
    return energy_J / JOULES_A_KWH * carbon_intensity_g_kWh


def run_price_usd(energy_J: Number, price_usd_kWh: Number) -> Number:
    """Return what an energy costs [USD]."""
    return energy_J / JOULES_A_KWH * price_usd_kWh


def share_of_token_J(energy_J: Number, served_tokens: Number) -> Number:
    """Return the training energy that falls on one token, if a model writes `served_tokens` in its life [J]."""
    return energy_J / served_tokens


def requests_until_equal(energy_J: Number, request_energy_J: Number) -> Number:
    """Return after how many requests their energy equals that of the training run."""
    return energy_J / request_energy_J
