"""The host controller's interrupt: wake the core, enter the handler, put the rest off.

The transfer that the host had scheduled is done, and the controller says so. A core that sleeps wakes first (its idle
state decides how long that takes); then it saves its state and jumps to the handler. The handler is short, because it
runs with interrupts off: it takes note of the finished transfer and schedules the rest, which parses the report with
interrupts on again.

References
----------
.. [1] Linux, drivers/idle/intel_idle.c: exit latencies of idle states, for Haswell 2 us (C1) to 300 us (C8).
.. [2] Intel, xHCI 1.2, section 5.5.2.2: interrupt moderation in units of 250 ns, 4000 (1 ms) by default.
.. [3] M. Stapelberg, "kinX: latency measurement", 2018: key report to lamp report through USB, kernel and evdev takes
   152 us.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1954, "DYSEAC of the National Bureau of Standards: the first input/output interrupt")


def entry_time_s(wake_s: Number, entry_cycles: Number, clock_Hz: Number) -> Number:
    """Return the time from the interrupt to the first instruction of its handler [s].

    Parameters
    ----------
    wake_s : float
        Time for the core to leave its idle state [s].
    entry_cycles : float
        Clock cycles to accept the interrupt, save the state and reach the handler.
    clock_Hz : float
        Clock of the core [Hz].
    """
    return wake_s + entry_cycles / clock_Hz


def handling_time_s(handler_cycles: Number, deferred_cycles: Number, clock_Hz: Number) -> Number:
    """Return the time of the handler and of the work that it puts off [s].

    Parameters
    ----------
    handler_cycles : float
        Clock cycles of the handler, with interrupts off.
    deferred_cycles : float
        Clock cycles of the deferred work, with interrupts on.
    clock_Hz : float
        Clock of the core [Hz].
    """
    return (handler_cycles + deferred_cycles) / clock_Hz


def moderation_s(moderation_units: Number) -> Number:
    """Return the least time between two interrupts of a USB host controller, units of 250 ns [2]_.

    A key press finds it long past and is not held back; a stream of reports is.

    Parameters
    ----------
    moderation_units : float
        The interrupter's moderation interval (IMODI).
    """
    return moderation_units * 250e-9


def interrupt_load(handler_cycles: Number, deferred_cycles: Number, clock_Hz: Number, interval_s: Number) -> Number:
    """Return the share of a core that interrupts take when they come every `interval_s`, at most all of it.

    Parameters
    ----------
    handler_cycles, deferred_cycles : float
        Clock cycles of one interrupt.
    clock_Hz : float
        Clock of the core [Hz].
    interval_s : float
        Time between two interrupts [s].
    """
    return np.minimum((handler_cycles + deferred_cycles) / clock_Hz / interval_s, 1.0)
