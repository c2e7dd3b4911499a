"""The display on the way: from the page in the browser to the light of its first word."""

from __future__ import annotations

from roundtrip.journey.way import Mark, Way
from roundtrip.stages.display import framebuffer, link, panel, text, vsync


def lay(way: Way, page: Mark) -> Mark:
    """Lay the way of the first word from the laid-out page to the light that the panel sends.

    Facts: ``display_lag_s``, the time from the page to the light; ``ink_pixels`` and ``patch_pixels`` of the word and
    its box; ``drawing_J``, what drawing it costs the computer; ``photons_per_lumen_s`` of the screen's white.
    """
    word = _lay_text(way, page)
    drawn = _lay_framebuffer(way, word)
    due = _lay_vsync(way, drawn)
    sent = _lay_link(way, due)
    light = _lay_panel(way, sent)
    way.fact("display_lag_s", light.end_s - page.end_s)
    return light


def lay_always_on(way: Way, until: Mark) -> Mark:
    """Lay the lit screen, which shines from the first key to the last word, and the drawing of all further words.

    A backlight is paid at the luminance of white whatever the page shows; an OLED is paid at the page's mean.
    """
    _lay_further_words(way)
    s = way.stage(panel)
    pixels = s.use(
        framebuffer.pixel_count,
        width_pixels=s["display.panel.width_pixels"],
        height_pixels=s["display.panel.height_pixels"],
    )
    shown = s["display.panel.white_luminance_cd_m2"]
    if way.word("display.panel.kind") == "oled":
        shown = s.use(
            panel.picture_luminance_cd_m2, white_luminance_cd_m2=shown, picture_level=s["display.font.picture_level"]
        )
    light_W = s.use(
        panel.light_power_W,
        luminance_cd_m2=shown,
        pixels=pixels,
        pixel_pitch_m=s["display.panel.pixel_pitch_m"],
        screen_efficacy_lm_W=s["display.panel.screen_efficacy_lm_W"],
    )
    power_W = light_W + s["display.panel.electronics_power_W"]
    return s.lay(
        "the screen is lit",
        until.end_s,
        "photons",
        id="on.display.panel",
        always_on_J=power_W * until.end_s,
        power_W=power_W,
        light_power_W=light_W,
    )


def _lay_further_words(way: Way) -> None:
    """Each further token is drawn as it comes, several in one frame if they come faster than frames."""
    begun, streamed = way.marks.get("stream.reasoning"), way.marks.get("stream.answer")
    if begun is None or streamed is None:
        return
    s = way.stage(text)
    updates = s.use(
        vsync.update_count,
        tokens=way.facts["answer_tokens"] - 1.0,
        duration_s=streamed.duration_s,
        refresh_rate_Hz=s["display.panel.refresh_rate_Hz"],
    )
    words = way.facts["answer_tokens"] * s["eye.viewer.words_per_token"]
    characters = s.use(text.text_characters, words=words, word_characters=s["display.font.word_characters"])
    glyphs = s.use(text.glyph_count, characters=characters, ligature_share=s["display.font.ligature_share"])
    lines = s.use(
        text.line_count,
        glyphs=glyphs,
        font_size_m=s["display.font.font_size_m"],
        advance_share=s["display.font.advance_share"],
        line_width_m=s["display.font.line_width_m"],
    )
    drawn_J = updates * way.facts["drawing_J"]
    s.lay(
        "further words are drawn",
        streamed.duration_s,
        "moving charge",
        after=begun,
        id="stream.display",
        marginal_J=drawn_J,
        updates=updates,
        glyphs=glyphs,
        lines=lines,
    )


def _lay_text(way: Way, page: Mark) -> Mark:
    s = way.stage(text)
    glyphs = s.use(
        text.glyph_count,
        characters=s["display.font.word_characters"],
        ligature_share=s["display.font.ligature_share"],
    )
    em = s.use(
        text.em_size_pixels, font_size_m=s["display.font.font_size_m"], pixel_pitch_m=s["display.panel.pixel_pitch_m"]
    )
    ink = s.use(text.ink_pixels, glyphs=glyphs, em_pixels=em, ink_share=s["display.font.ink_share"])
    box = s.use(text.box_pixels, glyphs=glyphs, em_pixels=em, advance_share=s["display.font.advance_share"])
    way.fact("ink_pixels", ink)
    way.fact("patch_pixels", box)
    shaped_s = s.use(text.shape_duration_s, glyphs=glyphs, glyph_shape_time_s=s["display.font.glyph_shape_time_s"])
    filled_s = s.use(
        text.raster_duration_s,
        glyphs=glyphs,
        glyph_cache_hit=s["display.font.glyph_cache_hit"],
        glyph_raster_time_s=s["display.font.glyph_raster_time_s"],
    )
    painted_s = s.use(
        text.paint_duration_s,
        painted_lines=s["display.font.painted_lines"],
        line_paint_time_s=s["display.font.line_paint_time_s"],
    )
    drawn_J = way.fact(
        "drawing_J",
        s.use(
            text.drawing_energy_J,
            duration_s=shaped_s + filled_s + painted_s,
            idle_power_W=s["computer.host.idle_power_W"],
            active_power_W=s["computer.host.active_power_W"],
        ),
    )
    return s.lay(
        "the word becomes glyphs",
        shaped_s + filled_s + painted_s,
        "moving charge",
        after=page,
        marginal_J=drawn_J,
        glyphs=glyphs,
        ink_pixels=ink,
        box_pixels=box,
    )


def _lay_framebuffer(way: Way, word: Mark) -> Mark:
    s = way.stage(framebuffer)
    patch_B = s.use(
        framebuffer.store_size_B, pixels=way.facts["patch_pixels"], pixel_size_B=s["display.panel.pixel_size_B"]
    )
    moved_B = s.use(framebuffer.traffic_B, size_B=patch_B, copies=s["display.panel.copies"])
    moved_s = s.use(framebuffer.transfer_duration_s, size_B=moved_B, bandwidth_B_s=s["display.panel.bandwidth_B_s"])
    moved_J = s.use(framebuffer.memory_energy_J, size_B=moved_B, energy_per_byte_J=s["display.panel.energy_per_byte_J"])
    whole = s.use(
        framebuffer.pixel_count,
        width_pixels=s["display.panel.width_pixels"],
        height_pixels=s["display.panel.height_pixels"],
    )
    whole_B = s.use(framebuffer.store_size_B, pixels=whole, pixel_size_B=s["display.panel.pixel_size_B"])
    scanned_B_s = s.use(framebuffer.scan_rate_B_s, size_B=whole_B, refresh_rate_Hz=s["display.panel.refresh_rate_Hz"])
    return s.lay(
        "the frame gets the word",
        moved_s,
        "stored charge",
        after=word,
        marginal_J=moved_J,
        bytes_in=patch_B,
        bytes_out=moved_B,
        frame_pixels=whole,
        frame_B=whole_B,
        scan_rate_B_s=scanned_B_s,
    )


def _lay_vsync(way: Way, drawn: Mark) -> Mark:
    s = way.stage(vsync)
    interval_s = s.use(vsync.frame_interval_s, refresh_rate_Hz=s["display.panel.refresh_rate_Hz"])
    waited_s = s.use(
        vsync.wait_s,
        frame_phase=s["display.panel.frame_phase"],
        queued_frames=s["display.panel.queued_frames"],
        refresh_rate_Hz=s["display.panel.refresh_rate_Hz"],
    )
    begun = s.lay("the frame waits its turn", waited_s, "waiting", after=drawn, frame_interval_s=interval_s)
    s = way.stage(vsync)
    scanned_s = s.use(
        vsync.scan_out_s,
        screen_position=s["display.panel.screen_position"],
        height_pixels=s["display.panel.height_pixels"],
        refresh_rate_Hz=s["display.panel.refresh_rate_Hz"],
        blank_duration_s=s["display.panel.blank_duration_s"],
    )
    return s.lay("the scan reaches the word", scanned_s, "waiting", after=begun, id="display.vsync.scan")


def _lay_link(way: Way, due: Mark) -> Mark:
    s = way.stage(link)
    clock = s.use(
        link.clock_Hz,
        width_pixels=s["display.panel.width_pixels"],
        height_pixels=s["display.panel.height_pixels"],
        refresh_rate_Hz=s["display.panel.refresh_rate_Hz"],
        blank_pixels=s["display.panel.blank_pixels"],
        blank_duration_s=s["display.panel.blank_duration_s"],
        clock_step_Hz=s["display.panel.clock_step_Hz"],
    )
    stream = s.use(
        link.stream_rate_bit_s,
        pixel_clock_Hz=clock,
        depth_bit=s["display.panel.depth_bit"],
        stream_compression=s["display.panel.stream_compression"],
    )
    payload = s.use(
        link.payload_rate_bit_s,
        link_lanes=s["display.panel.link_lanes"],
        link_lane_rate_bit_s=s["display.panel.link_lane_rate_bit_s"],
        link_coding_share=s["display.panel.link_coding_share"],
    )
    row_s = s.use(
        link.row_time_s,
        width_pixels=s["display.panel.width_pixels"],
        blank_pixels=s["display.panel.blank_pixels"],
        pixel_clock_Hz=clock,
    )
    cable_s = s.use(
        link.cable_delay_s,
        cable_length_m=s["display.panel.cable_length_m"],
        signal_speed_m_s=s["display.panel.signal_speed_m_s"],
    )
    patch_J = s.use(
        link.line_energy_J,
        pixels=way.facts["patch_pixels"],
        depth_bit=s["display.panel.depth_bit"],
        stream_compression=s["display.panel.stream_compression"],
        energy_per_bit_J=s["display.panel.energy_per_bit_J"],
    )
    return s.lay(
        "the row crosses the cable",
        row_s + cable_s,
        "moving charge",
        after=due,
        allocated_J=patch_J,
        pixel_clock_Hz=clock,
        stream_rate_bit_s=stream,
        payload_rate_bit_s=payload,
        utilization=stream / payload,
    )


def _lay_panel(way: Way, sent: Mark) -> Mark:
    """The pixels turn to the new value; light that counts is light at half of the step.

    On a bright page the ink is dark and the photons are those that cease; on a dark page they are those that come.
    Either way the change is that of the inked pixels in one frame. Only an OLED pays for them; a backlight burns on.
    """
    s = way.stage(panel)
    photons_per_lm_s = way.fact(
        "photons_per_lumen_s",
        s.use(
            panel.photons_per_lumen_second,
            wavelength_m=s["display.panel.light_wavelength_m"],
            luminous_efficacy_lm_W=s["display.panel.luminous_efficacy_lm_W"],
        ),
    )
    white = s["display.panel.white_luminance_cd_m2"]
    each = s.use(
        panel.photons_hemisphere,
        luminance_cd_m2=white,
        pixel_pitch_m=s["display.panel.pixel_pitch_m"],
        refresh_rate_Hz=s["display.panel.refresh_rate_Hz"],
        photons_per_lumen_s=photons_per_lm_s,
    )
    axis = s.use(
        panel.photons_steradian,
        luminance_cd_m2=white,
        pixel_pitch_m=s["display.panel.pixel_pitch_m"],
        refresh_rate_Hz=s["display.panel.refresh_rate_Hz"],
        photons_per_lumen_s=photons_per_lm_s,
    )
    photons = each * way.facts["ink_pixels"]
    half_s = s.use(panel.half_response_s, response_time_s=s["display.panel.response_time_s"])
    pulse_s = s.use(panel.pwm_period_s, pwm_frequency_Hz=s["display.panel.pwm_frequency_Hz"])
    turned_s = s["display.panel.processing_time_s"] + half_s
    if way.word("display.panel.kind") == "oled":
        frame_s = s.use(vsync.frame_interval_s, refresh_rate_Hz=s["display.panel.refresh_rate_Hz"])
        ink_J = s.use(
            panel.patch_energy_J,
            pixels=way.facts["ink_pixels"],
            pixel_pitch_m=s["display.panel.pixel_pitch_m"],
            luminance_cd_m2=white,
            duration_s=frame_s,
            screen_efficacy_lm_W=s["display.panel.screen_efficacy_lm_W"],
        )
        return s.lay(
            "pixels make light",
            turned_s,
            "photons",
            after=sent,
            marginal_J=ink_J,
            electrons=photons / s["display.panel.external_quantum_efficiency"],
            photons=photons,
            photons_per_pixel_frame=each,
            photons_per_pixel_frame_sr=axis,
            pwm_period_s=pulse_s,
            conversions=1.0,
        )
    black = s.use(
        panel.black_luminance_cd_m2, white_luminance_cd_m2=white, contrast_ratio=s["display.panel.contrast_ratio"]
    )
    return s.lay(
        "liquid crystals turn",
        turned_s,
        "photons",
        after=sent,
        photons=photons,
        photons_per_pixel_frame=each,
        photons_per_pixel_frame_sr=axis,
        black_luminance_cd_m2=black,
        pwm_period_s=pulse_s,
        conversions=1.0,
    )
