"""The frame in memory: an array of pixels that is written when something changes and read at every refresh.

The picture of X by Y pixels with s bytes each is ``X Y s`` bytes. The display engine reads it f times a second,
whether anything changed or not (unless the panel refreshes itself); the compositor writes only what is damaged, and
copies it once or more on the way. A word's patch is some thousand pixels of eight million, so what the reader waits
for is the frame clock, not the memory.

References
----------
.. [1] R. W. Scheifler and J. Gettys, "The X Window System", ACM Transactions on Graphics 5(2), 79-109, 1986,
   doi:10.1145/22949.24053: bitmap windows and exposed (damaged) regions.
.. [2] M. Horowitz, "Computing's energy problem (and what we can do about it)", ISSCC 2014,
   doi:10.1109/ISSCC.2014.6757323: 1.3 to 2.6 nJ for 64 bits from DRAM.
"""

from __future__ import annotations

from roundtrip.figures.graph import Number

SINCE = (1973, "Xerox Alto: a bit of memory for every dot of the screen (and R. Shoup's SuperPaint, 8 bits a pixel)")


def pixel_count(width_pixels: Number, height_pixels: Number) -> Number:
    """Return the pixels of a screen, ``X Y``.

    Parameters
    ----------
    width_pixels, height_pixels : float
        Columns and rows.
    """
    return width_pixels * height_pixels


def store_size_B(pixels: Number, pixel_size_B: Number) -> Number:
    """Return the bytes of some pixels in memory [B].

    Parameters
    ----------
    pixels : float
        Number of pixels.
    pixel_size_B : float
        Bytes of one pixel [B]: 4 for 8 bits each of red, green, blue and opacity.
    """
    return pixels * pixel_size_B


def traffic_B(size_B: Number, copies: Number) -> Number:
    """Return the bytes that cross the memory bus for a damaged region [B].

    It is drawn once (a write); each copy of the compositor reads and writes it.

    Parameters
    ----------
    size_B : float
        Bytes of the region [B].
    copies : float
        Copies between the application's surface and the buffer that is scanned out.
    """
    return size_B * (1.0 + 2.0 * copies)


def scan_rate_B_s(size_B: Number, refresh_rate_Hz: Number) -> Number:
    """Return the bytes a second that the display engine reads from a whole frame [B/s].

    Parameters
    ----------
    size_B : float
        Bytes of the frame [B].
    refresh_rate_Hz : float
        Frames a second [Hz].
    """
    return size_B * refresh_rate_Hz


def transfer_duration_s(size_B: Number, bandwidth_B_s: Number) -> Number:
    """Return the time to move some bytes [s].

    Parameters
    ----------
    size_B : float
        Bytes moved [B].
    bandwidth_B_s : float
        Bandwidth that the graphics unit gets of the memory [B/s].
    """
    return size_B / bandwidth_B_s


def memory_energy_J(size_B: Number, energy_per_byte_J: Number) -> Number:
    """Return the energy to move some bytes between chip and DRAM [J] [2]_.

    Parameters
    ----------
    size_B : float
        Bytes moved [B].
    energy_per_byte_J : float
        Energy for each [J].
    """
    return size_B * energy_per_byte_J
