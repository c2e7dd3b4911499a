"""Units at the border: a value with a unit becomes an SI float; inside, names carry the unit."""

from __future__ import annotations

import math
import re

from roundtrip.errors import DomainError, UnitError, nearest

# unit -> (dimension, factor to the unit that stands first for that dimension)
_TABLE = """
time        s 1  ms 1e-3  us 1e-6  µs 1e-6  ns 1e-9  ps 1e-12  fs 1e-15  min 60  h 3600  day 86400  year 31557600
length      m 1  km 1e3  cm 1e-2  mm 1e-3  um 1e-6  µm 1e-6  nm 1e-9  mi 1609.344  inch 0.0254
area        m2 1  mm2 1e-6  um2 1e-12  cm2 1e-4
volume      L 1  mL 1e-3  m3 1000
mass        kg 1  g_mass 1e-3
carbon      g 1  kg_CO2e 1e3  t 1e6
energy      J 1  mJ 1e-3  uJ 1e-6  nJ 1e-9  pJ 1e-12  fJ 1e-15  kJ 1e3  MJ 1e6  Wh 3600  kWh 3.6e6  MWh 3.6e9
energy      GWh 3.6e12  eV 1.602176634e-19
power       W 1  mW 1e-3  uW 1e-6  nW 1e-9  kW 1e3  MW 1e6  GW 1e9
frequency   Hz 1  kHz 1e3  MHz 1e6  GHz 1e9  THz 1e12  1/s 1  1/day 1.1574074074074074e-05
data        B 1  bytes 1  kB 1e3  MB 1e6  GB 1e9  TB 1e12  PB 1e15  KiB 1024  MiB 1048576
bits        bit 1  kbit 1e3  Mbit 1e6
rate        bit/s 1  kbit/s 1e3  Mbit/s 1e6  Gbit/s 1e9  Tbit/s 1e12
byte-rate   B/s 1  kB/s 1e3  MB/s 1e6  GB/s 1e9  TB/s 1e12  byte/s 1
operations  flop 1  Gflop 1e9  Tflop 1e12
flop-rate   flop/s 1  Gflop/s 1e9  Tflop/s 1e12  Pflop/s 1e15
token       token 1  tokens 1
token-rate  token/s 1  tokens/s 1
charge      C 1  electrons 1.602176634e-19
voltage     V 1  mV 1e-3  kV 1e3
current     A 1  mA 1e-3  uA 1e-6  nA 1e-9  pA 1e-12
resistance  ohm 1  kohm 1e3
capacitance F 1  pF 1e-12  fF 1e-15  nF 1e-9
force       N 1
stiffness   N/m 1
speed       m/s 1  km/s 1e3  mm/s 1e-3
acceleration m/s2 1
angle       deg 1
luminance   cd/m2 1  nit 1
temperature K 1
heat-capacity J/(kg*K) 1
decibel     dB 1
level       dBm 1
loss        dB/m 1  dB/km 1e-3
ratio       1 1  % 1e-2
money       USD 1
"""

UNITS: dict[str, tuple[str, float]] = {}
for _line in _TABLE.strip().splitlines():
    _dimension, *_pairs = _line.split()
    for _unit, _factor in zip(_pairs[::2], _pairs[1::2], strict=True):
        UNITS[_unit] = (_dimension, float(_factor))

_QUANTITY = re.compile(
    r"^\s*([-+]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf|infinity))\s*(\S.*)?$", re.I
)


def convert(value: float, unit: str, into: str, name: str = "value") -> float:
    """Return `value` in another unit of the same dimension.

    Raises
    ------
    UnitError
        If a unit is unknown or the dimensions differ.
    """
    if unit == into:
        return value
    if unit not in UNITS:
        raise UnitError(f"{name}: unknown unit {unit!r}, expected {into}{nearest(unit, UNITS)}")
    dimension, factor = UNITS[unit]
    wanted, divisor = UNITS.get(into, (into, 1.0))
    if dimension != wanted:
        allowed = ", ".join(u for u, (d, _) in UNITS.items() if d == wanted) or into
        raise UnitError(f"{name}: {value:g} {unit} is of the dimension {dimension}, expected {wanted} ({allowed})")
    return value * factor / divisor


def parse_quantity(text: str, into: str, name: str = "value") -> float:
    """Read ``3000 km``, ``5ms`` or a bare number (already in `into`), and return it in `into`.

    Raises
    ------
    UnitError
        If the unit is unknown or of another dimension.
    DomainError
        If the text is not a number, or not finite.
    """
    match = _QUANTITY.match(text)
    if not match:
        raise DomainError(f"{name}: {text!r} is not a number, expected for example '1.5' or '1.5 {into}'")
    value = float(match.group(1))
    if not math.isfinite(value):
        raise DomainError(f"{name}: {text.strip()!r} is not finite, expected a number in {into}")
    unit = (match.group(2) or into).strip()
    return convert(value, unit, into, name)
