r"""The display link: pixels leave row after row, at a clock that leaves room for rows and columns without picture.

Cathode rays needed time to fly back; panels need a little of it still. VESA's rule for reduced blanking (CVT-RB)
adds a fixed number of pixel times to each row and at least 460 us of empty rows to each frame:

.. math:: Y_t = Y + \left\lfloor \frac{t_b}{(1/f - t_b)/Y} \right\rfloor + 1, \qquad f_p = f\,(X + X_b)\,Y_t

rounded down to a step. Of the raw bits of DisplayPort a line code leaves 8/10 (HBR) or 128/132 (UHBR), of HDMI
2.1's fixed-rate link 16/18.

References
----------
.. [1] VESA, "Coordinated Video Timings standard", version 1.2, 2013; a readable implementation is libdisplay-info,
   ``cvt.c``, https://gitlab.freedesktop.org/emersion/libdisplay-info/-/blob/main/cvt.c
.. [2] VESA, "DisplayPort", https://www.displayport.org/faq/: lane rates and line codes.
.. [3] CTA-861, "A DTV profile for uncompressed high speed digital interfaces": video code 97 is 4400 by 2250 pixel
   times at 594 MHz.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2006, "VESA DisplayPort 1.0; reduced blanking since CVT 1.1, 2003")


def total_rows(height_pixels: Number, refresh_rate_Hz: Number, blank_duration_s: Number) -> Number:
    """Return the rows of a frame with the empty ones, by the rule of CVT-RB [1]_.

    Parameters
    ----------
    height_pixels : float
        Rows with picture.
    refresh_rate_Hz : float
        Frames a second [Hz].
    blank_duration_s : float
        Shortest time without picture [s]: 460 us.
    """
    row_s = (1.0 / refresh_rate_Hz - blank_duration_s) / height_pixels
    return height_pixels + np.floor(blank_duration_s / row_s) + 1.0


def clock_Hz(
    width_pixels: Number,
    height_pixels: Number,
    refresh_rate_Hz: Number,
    blank_pixels: Number,
    blank_duration_s: Number,
    clock_step_Hz: Number,
) -> Number:
    """Return the pixel clock of CVT-RB [Hz] [1]_.

    Parameters
    ----------
    width_pixels, height_pixels : float
        Columns and rows with picture.
    refresh_rate_Hz : float
        Frames a second [Hz].
    blank_pixels : float
        Pixel times without picture in a row: 160 in version 1, 80 in version 2.
    blank_duration_s : float
        Shortest time without picture in a frame [s].
    clock_step_Hz : float
        The clock is rounded down to a multiple of it [Hz]: 250 kHz in version 1, 1 kHz in version 2.
    """
    rows = total_rows(height_pixels, refresh_rate_Hz, blank_duration_s)
    return np.floor(refresh_rate_Hz * (width_pixels + blank_pixels) * rows / clock_step_Hz) * clock_step_Hz


def stream_rate_bit_s(pixel_clock_Hz: Number, depth_bit: Number, stream_compression: Number) -> Number:
    """Return the bits a second that the picture with its blanking takes on the link [bit/s].

    Parameters
    ----------
    pixel_clock_Hz : float
        Pixels a second with blanking [Hz].
    depth_bit : float
        Bits of a pixel [bit].
    stream_compression : float
        1, or the ratio of Display Stream Compression.
    """
    return pixel_clock_Hz * depth_bit / stream_compression


def active_rate_bit_s(
    width_pixels: Number, height_pixels: Number, refresh_rate_Hz: Number, depth_bit: Number
) -> Number:
    """Return the bits a second of the picture alone [bit/s], without blanking and line code.

    Parameters
    ----------
    width_pixels, height_pixels : float
        Columns and rows with picture.
    refresh_rate_Hz : float
        Frames a second [Hz].
    depth_bit : float
        Bits of a pixel [bit].
    """
    return width_pixels * height_pixels * refresh_rate_Hz * depth_bit


def payload_rate_bit_s(link_lanes: Number, link_lane_rate_bit_s: Number, link_coding_share: Number) -> Number:
    """Return the bits a second that a link can carry after its line code [bit/s] [2]_.

    Parameters
    ----------
    link_lanes : float
        Lanes in use.
    link_lane_rate_bit_s : float
        Raw rate of each [bit/s].
    link_coding_share : float
        Payload over raw bits: 0.8 for 8b/10b, 128/132, or 16/18.
    """
    return link_lanes * link_lane_rate_bit_s * link_coding_share


def row_time_s(width_pixels: Number, blank_pixels: Number, pixel_clock_Hz: Number) -> Number:
    """Return the time of one row on the link [s]; a pixel's bits have arrived when its row has.

    Parameters
    ----------
    width_pixels : float
        Columns with picture.
    blank_pixels : float
        Pixel times without picture.
    pixel_clock_Hz : float
        Pixels a second [Hz].
    """
    return (width_pixels + blank_pixels) / pixel_clock_Hz


def cable_delay_s(cable_length_m: Number, signal_speed_m_s: Number) -> Number:
    """Return the time of the signal along the cable [s].

    Parameters
    ----------
    cable_length_m : float
        Length [m].
    signal_speed_m_s : float
        Speed of the signal on the pair [m/s].
    """
    return cable_length_m / signal_speed_m_s


def line_energy_J(pixels: Number, depth_bit: Number, stream_compression: Number, energy_per_bit_J: Number) -> Number:
    """Return the energy to send some pixels over the link, both ends [J].

    Parameters
    ----------
    pixels : float
        Pixels sent.
    depth_bit : float
        Bits of each [bit].
    stream_compression : float
        1, or the ratio of the compression.
    energy_per_bit_J : float
        Energy for each bit, driver and receiver [J].
    """
    return pixels * depth_bit / stream_compression * energy_per_bit_J
