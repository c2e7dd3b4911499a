"""Carry: the real bytes of a prompt through every layer, and the real light.

`carry` types the prompt, sends it, lets the model answer, and reads the reply from the retina. What the forecast works
out in closed form happens here to bits: each layer's codec runs both ways, and what is broken breaks what comes after.
"""

from __future__ import annotations

from roundtrip.journey.carry.breaks import BREAKS, read_breaks
from roundtrip.journey.carry.carried import Carried, carry

__all__ = ["BREAKS", "Carried", "carry", "read_breaks"]
