"""Claims on the network: records, segments, packet paths, line code, copper, and the length and time of the way."""

from __future__ import annotations

from roundtrip.journey.audit.core import Bench, Finding, derives
from roundtrip.stages.network import copper, kernel, route, serdes, tcp, tls


@derives("A029", latitude="about")
def record_overhead(bench: Bench) -> Finding:
    return Finding(
        bench.use(tls.record_overhead_B),
        "TLS 1.3 with AES-GCM: 5 bytes of header, 1 of content type, 16 of tag. (TLS 1.2 adds 29.)",
    )


@derives("A030")
def largest_segment(bench: Bench) -> Finding:
    return Finding(
        bench.use(tcp.segment_size_B, mtu_B=bench["edges/none.mtu_B"]),
        "MTU less the headers of IP and TCP without options; with timestamps, which are usual, 1,448 remain.",
    )


@derives("A031", latitude="about")
def kernel_path(bench: Bench) -> Finding:
    return _one_packet(bench, "kernel", "One packet on its own through the sockets of the kernel, as measured.")


@derives("A032", latitude="about")
def bypass_path(bench: Bench) -> Finding:
    return _one_packet(
        bench, "af-xdp", "AF_XDP, the slower of the two: half of its best measured round trip. DPDK needs 0.9 us."
    )


def _one_packet(bench: Bench, path: str, note: str) -> Finding:
    time_s = bench.use(
        kernel.path_time_s, packets=1.0, packet_latency_s=bench[f"packet_paths/{path}.packet_latency_s"],
        packet_time_s=bench[f"packet_paths/{path}.packet_time_s"],
    )  # fmt: skip
    return Finding(time_s, note)


@derives("A033")
def rate_before_coding(bench: Bench) -> Finding:
    rate = bench.use(
        serdes.data_rate_bit_s, lane_rate_bit_s=bench["access_networks/ethernet-fiber.lane_rate_bit_s"],
        code_payload_bits=bench["access_networks/ethernet-fiber.code_payload_bits"],
        code_block_bits=bench["access_networks/ethernet-fiber.code_block_bits"],
    )  # fmt: skip
    return Finding(rate, "The line signals at 10.3125 GBd, of which 64 in 66 bits are data.")


@derives("A034")
def code_expansion(bench: Bench) -> Finding:
    factor = bench.use(
        serdes.expansion, code_payload_bits=bench["access_networks/ethernet-fiber.code_payload_bits"],
        code_block_bits=bench["access_networks/ethernet-fiber.code_block_bits"],
    )  # fmt: skip
    return Finding(factor, "66 bits on the line for 64 of data.")


@derives("A035", latitude="about")
def electrons_per_bit(bench: Bench) -> Finding:
    count = bench.use(
        serdes.electrons_per_bit, swing_V=bench["access_networks/ethernet-fiber.swing_V"],
        line_resistance_ohm=bench["access_networks/ethernet-fiber.line_resistance_ohm"],
        lane_rate_bit_s=bench["access_networks/ethernet-fiber.lane_rate_bit_s"],
    )  # fmt: skip
    return Finding(count, "Swing over impedance is a current; times the bit time and over the charge of an electron.")


@derives("A036", latitude="about")
def trace_speed(bench: Bench) -> Finding:
    speed = bench.use(
        copper.propagation_speed_m_s, relative_permittivity=bench["copper_lines/microstrip-fr4.relative_permittivity"]
    )
    return Finding(
        speed / 299_792_458.0,
        "A trace on the surface of an ordinary board; inside the board it is 0.49. The electrons of a signal of 8 mA "
        "drift at some tenths of a millimeter a second and turn back with every change of the bit.",
    )


@derives("A112", latitude="about")
def copper_reach(bench: Bench) -> Finding:
    line = {
        name: bench[f"copper_lines/twinax.{name}"]
        for name in (
            "signal_frequency_Hz", "conductor_width_m", "line_resistance_ohm", "relative_permittivity", "loss_tangent"
        )
    }  # fmt: skip
    loss = bench.use(copper.loss_dB_m, **line)
    reach = bench.use(copper.reach_m, loss_budget_dB=bench["copper_lines/twinax.loss_budget_dB"], line_loss_dB_m=loss)
    return Finding(
        reach,
        "A twinaxial cable at 25 Gb/s, by the loss of its skin and its dielectric against the budget of IEEE 802.3.",
    )


@derives("B013", latitude="about")
def way_length(bench: Bench) -> Finding:
    distance = bench.use(
        route.great_circle_m,
        from_latitude_deg=bench["places/new-york.latitude_deg"],
        from_longitude_deg=bench["places/new-york.longitude_deg"],
        to_latitude_deg=bench["places/us-central-iowa.latitude_deg"],
        to_longitude_deg=bench["places/us-central-iowa.longitude_deg"],
    )  # fmt: skip
    shape = {
        name: bench[f"routes/terrestrial.{name}"]
        for name in ("far_stretch", "near_stretch", "near_scale_m", "detour_m")
    }
    cable = bench.use(route.direct_length_m, distance_m=distance, **shape)
    return Finding(cable, "From New York to Iowa: 1,830 km by the great circle, about twice that by cable.")


@derives("A058", latitude="about")
def prompt_arrives_on_one_continent(bench: Bench) -> Finding:
    return Finding(
        bench.trip("cloud", "datacenter.queue/start_s"),
        "From the first movement of the finger to the queue of the server, New York to Iowa, connection warm.",
    )


@derives("A059", latitude="about")
def prompt_arrives_from_afar(bench: Bench) -> Finding:
    return Finding(
        bench.trip("intercontinental", "datacenter.queue/start_s"),
        "The same from Tokyo to Iowa: the Pacific adds some 55 ms of light in glass.",
    )
