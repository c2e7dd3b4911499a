"""Power: from the grid through the building to the chip, out as heat, and what that costs in water, carbon and money.

Electricity comes down a chain of losses, ``eta = eta_T eta_U eta_P eta_R`` (transformer, uninterruptible supply, power
supply, voltage regulator). The first two and the cooling are the building's overhead, ``E (PUE - 1)`` [1]_; the last
two are inside the machines and so in their own power. At the chip it is hundreds of amperes at less than a volt,
``I = P/U``. All of it leaves as heat. A cooling tower evaporates ``Q/L`` of water and drains as much again as its
concentration of salts demands, ``C/(C - 1)``; sites report the sum by the kilowatt-hour of equipment (WUE [2]_). The
power plants evaporate more, by the kilowatt-hour of the building.

References
----------
.. [1] ISO/IEC 30134-2:2016, Power usage effectiveness (PUE), https://www.iso.org/standard/63451.html;
   C. Belady et al., The Green Grid, 2007
.. [2] ISO/IEC 30134-9:2022, Data centres key performance indicators, part 9: Water usage effectiveness (WUE)
.. [3] P. Li, J. Yang, M. A. Islam and S. Ren, "Making AI Less Thirsty", arXiv:2304.03271
.. [4] W. Wagner and A. Pruss, "The IAPWS Formulation 1995", J. Phys. Chem. Ref. Data 31(2), 2002,
   doi:10.1063/1.1461829: 2.43 MJ evaporate a kilogram of water at 30 degrees Celsius.
.. [5] J. You, "How much energy does ChatGPT use?", Epoch AI 2025,
   https://epoch.ai/gradient-updates/how-much-energy-does-chatgpt-use
"""

from __future__ import annotations

from roundtrip.figures.graph import Number

SINCE = (2007, "C. Belady et al., The Green Grid, PUE")

_JOULES_IN_KWH = 3.6e6


def overhead_J(energy_J: Number, pue: Number) -> Number:
    """Return what the building draws besides the equipment, ``E (PUE - 1)`` [1]_ [J].

    Parameters
    ----------
    energy_J : float
        Energy of the equipment [J].
    pue : float
        Power usage effectiveness.
    """
    return energy_J * (pue - 1.0)


def delivery_efficiency(
    transformer_efficiency: Number, ups_efficiency: Number, supply_efficiency: Number, regulator_efficiency: Number
) -> Number:
    """Return the share of the grid's energy that reaches the chip.

    Parameters
    ----------
    transformer_efficiency : float
        From medium voltage to the hall.
    ups_efficiency : float
        Uninterruptible power supply.
    supply_efficiency : float
        Power supply of the machine, from the mains to 12 or 48 V.
    regulator_efficiency : float
        Voltage regulator beside the chip.
    """
    return transformer_efficiency * ups_efficiency * supply_efficiency * regulator_efficiency


def hall_loss_J(energy_J: Number, transformer_efficiency: Number, ups_efficiency: Number) -> Number:
    """Return what is lost between the grid and the machines' plugs, ``E (1/(eta_T eta_U) - 1)`` [J].

    Parameters
    ----------
    energy_J : float
        Energy of the equipment at the plug [J].
    transformer_efficiency : float
    ups_efficiency : float
    """
    return energy_J * (1.0 / (transformer_efficiency * ups_efficiency) - 1.0)


def chip_electrons(
    energy_J: Number,
    supply_efficiency: Number,
    regulator_efficiency: Number,
    supply_voltage_V: Number,
    elementary_charge_C: Number = 1.602176634e-19,
) -> Number:
    """Return the electrons that pass the chip's supply pins, ``eta_P eta_R E / (e U)``.

    Parameters
    ----------
    energy_J : float
        Energy of the equipment at the plug [J].
    supply_efficiency : float
    regulator_efficiency : float
    supply_voltage_V : float
        Voltage of the chip's cores [V].
    elementary_charge_C : float
    """
    return energy_J * supply_efficiency * regulator_efficiency / supply_voltage_V / elementary_charge_C


def chip_current_A(power_W: Number, supply_voltage_V: Number) -> Number:
    """Return the current into a chip, ``P / U`` [A].

    Parameters
    ----------
    power_W : float
        Power at the chip [W].
    supply_voltage_V : float
        Its voltage [V].
    """
    return power_W / supply_voltage_V


def evaporated_L(
    energy_J: Number,
    concentration_cycles: Number,
    latent_heat_J_kg: Number = 2.43e6,
    water_density_kg_L: Number = 0.9957,
) -> Number:
    """Return the water that a cooling tower needs to lose heat by evaporation alone, ``Q/(L rho) C/(C-1)`` [L].

    Parameters
    ----------
    energy_J : float
        Heat [J].
    concentration_cycles : float
        How many times the salts may concentrate before water is drained, above 1.
    latent_heat_J_kg : float
        Heat of evaporation at 30 degrees Celsius [4]_ [J/kg].
    water_density_kg_L : float
        Density of water there [kg/L].
    """
    return energy_J / (latent_heat_J_kg * water_density_kg_L) * (concentration_cycles / (concentration_cycles - 1.0))


def water_on_site_L(energy_J: Number, water_usage_L_kWh: Number) -> Number:
    """Return the water used by the building, ``E WUE`` over the energy of the equipment [2]_ [L].

    Parameters
    ----------
    energy_J : float
        Energy of the equipment, without the overhead [J].
    water_usage_L_kWh : float
        Water usage effectiveness [L/kWh].
    """
    return energy_J / _JOULES_IN_KWH * water_usage_L_kWh


def water_off_site_L(energy_J: Number, water_intensity_L_kWh: Number) -> Number:
    """Return the water used up where the electricity was made [3]_ [L].

    Parameters
    ----------
    energy_J : float
        Energy drawn from the grid [J].
    water_intensity_L_kWh : float
        Water consumed for each kilowatt-hour [L/kWh].
    """
    return energy_J / _JOULES_IN_KWH * water_intensity_L_kWh


def carbon_g(energy_J: Number, carbon_intensity_g_kWh: Number) -> Number:
    """Return the carbon dioxide (equivalent) emitted for the energy, where it was drawn [g].

    Parameters
    ----------
    energy_J : float
        Energy drawn from the grid [J].
    carbon_intensity_g_kWh : float
        Average of the grid over a year, by place and not by contract [g/kWh].
    """
    return energy_J / _JOULES_IN_KWH * carbon_intensity_g_kWh


def electricity_cost_usd(energy_J: Number, price_usd_kWh: Number) -> Number:
    """Return what the energy costs [USD].

    Parameters
    ----------
    energy_J : float
        Energy drawn [J].
    price_usd_kWh : float
        Price of a kilowatt-hour [USD].
    """
    return energy_J / _JOULES_IN_KWH * price_usd_kWh


def peak_share_request_J(
    parameters: Number,
    tokens: Number,
    flop_rate_flop_s: Number,
    efficiency: Number,
    accelerator_power_W: Number,
    pue: Number,
) -> Number:
    """Return a request's energy from its operations alone, ``2 P n / (eta F) W PUE`` [5]_ [J].

    The estimate that is made where no serving rate is published: all that is not known (batch, memory, waiting) hides
    in the share of the peak that is reached.

    Parameters
    ----------
    parameters : float
        Parameters used for each token.
    tokens : float
        Tokens of the answer.
    flop_rate_flop_s : float
        Peak of an accelerator [flop/s].
    efficiency : float
        Share of the peak that is reached.
    accelerator_power_W : float
        Power of one accelerator with its share of the server [W].
    pue : float
        Power usage effectiveness.
    """
    return 2.0 * parameters * tokens / (flop_rate_flop_s * efficiency) * accelerator_power_W * pue


def node_energy_per_token_J(accelerators_per_server: Number, rated_power_W: Number, rate_token_s: Number) -> Number:
    """Return the energy of a token by dividing a server's rated chip power by its rate, ``N P / r`` [J].

    What it leaves out: host, memory, fans, network, idle servers and the building; and chips rarely draw their limit.

    Parameters
    ----------
    accelerators_per_server : float
        Accelerators of the server.
    rated_power_W : float
        Power limit of one of them [W].
    rate_token_s : float
        Tokens a second of the whole server [token/s].
    """
    return accelerators_per_server * rated_power_W / rate_token_s
