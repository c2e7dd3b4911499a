"""Make the same frames, words and waves with other libraries, and print their processor seconds as JSON.

`benchmarks.carry` starts it in an environment of its own (`tools/judges.sh carry-speed`), so that none of them is ever
imported by the package: ``python carry_peers.py frames|words|light OPTIONS``. The best of some rounds counts.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable

ROUNDS = 3
LATE = 2  # samples by which its filters and its compensation of dispersion together are late


def best(run: Callable[[], object], rounds: int = ROUNDS) -> float:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def frames(count: int) -> dict[str, float]:
    """Build frames of a TCP segment of 300 bytes."""
    import dpkt
    from scapy.all import IP, TCP, Ether, raw

    payload = bytes(300)

    def by_scapy() -> None:
        for i in range(count):
            ether = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
            raw(ether / IP(src="192.0.2.10", dst="198.51.100.20", id=i) / TCP(sport=50_000, dport=443, seq=i) / payload)

    def by_dpkt() -> None:
        for i in range(count):
            tcp = dpkt.tcp.TCP(sport=50_000, dport=443, seq=i, data=payload)
            ip = dpkt.ip.IP(src=b"\xc0\x00\x02\x0a", dst=b"\xc6\x33\x64\x14", id=i, p=6, data=tcp)
            bytes(dpkt.ethernet.Ethernet(src=b"\x02\0\0\0\0\1", dst=b"\x02\0\0\0\0\2", data=ip))

    return {"scapy": count / best(by_scapy), "dpkt": count / best(by_dpkt)}


def words(count: int) -> dict[str, float]:
    """Decode words of RS(544, 514) with 8 wrong symbols."""
    import galois
    import numpy as np
    import reedsolo

    stream = np.random.default_rng(1)
    code = reedsolo.RSCodec(30, nsize=544, c_exp=10)
    received = []
    for _ in range(count):
        word = list(code.encode(stream.integers(0, 1024, 514).tolist()))
        for place in stream.choice(544, 8, replace=False):
            word[place] ^= int(stream.integers(1, 1024))
        received.append(word)
    theirs = best(lambda: [code.decode(list(word)) for word in received], 1)
    field = galois.GF(2**10, irreducible_poly="x^10 + x^3 + 1")
    other = galois.ReedSolomon(1023, 993, field=field, c=0)
    matrix = field(np.array(received, int))
    other.decode(matrix[:1])  # compiles
    return {"reedsolo": count / theirs, "galois": count / best(lambda: other.decode(matrix), 1)}


def light(symbols: int) -> dict[str, float]:
    """Send DP-16QAM over 800 km of dispersion with noise, and receive it, without a laser that wanders."""
    import numpy as np
    from optic.comm.modulation import demodulateGray, modulateGray
    from optic.dsp.carrierRecovery import cpr
    from optic.dsp.core import firFilter, pnorm, pulseShape, upsample
    from optic.dsp.equalization import edc, mimoAdaptEqualizer
    from optic.models.channels import awgn, linearFiberChannel
    from optic.utils import parameters

    def given(**values: object) -> object:
        made = parameters()
        for name, value in values.items():
            setattr(made, name, value)
        return made

    rate = 32e9
    stream = np.random.default_rng(1)
    bits = stream.integers(0, 2, (2, 4 * symbols))
    shape = pulseShape(given(pulseType="rrc", SpS=2, nFilterTaps=1024, rollOff=0.1))
    ratio: list[float] = []

    def link() -> None:
        sent = np.stack([pnorm(modulateGray(row, 16, "qam")) for row in bits], axis=1)
        wave = np.stack([firFilter(shape, upsample(sent[:, i], 2)) for i in range(2)], axis=1)
        fiber = given(L=800, D=16.7, alpha=0, Fc=193.4e12, Fs=2 * rate, Rs=rate)
        far = awgn(linearFiberChannel(wave, fiber), given(snr=16.0, Fs=2 * rate, B=rate))
        near = edc(far, fiber)
        kept = np.stack([firFilter(shape, near[:, i]) for i in range(2)], axis=1)
        kept = np.roll(kept, -LATE, axis=0)
        options = given(nTaps=7, SpS=2, numIter=1, L=[symbols // 5, symbols - symbols // 5], mu=[5e-3, 1e-3],
                        alg=["nlms", "dd-lms"], M=16, prgsBar=False)  # fmt: skip
        got = pnorm(mimoAdaptEqualizer(pnorm(kept), options, sent))
        got = pnorm(cpr(got, given(alg="bps", M=16, constType="qam", N=81, B=20, runFOE=False)))
        part = slice(symbols // 4, symbols // 2)
        wrong = []
        for i in range(2):
            want = bits[i].reshape(-1, 4)[part]
            # Its alphabet for decisions is the whole numbers, of mean power ten; a quarter turn is not told apart.
            grid = math.sqrt(10.0) * got[part, i]
            turned = [np.mean(demodulateGray(grid * 1j**k, 16, "qam").reshape(-1, 4) != want) for k in range(4)]
            wrong.append(min(turned))
        ratio.append(float(np.mean(wrong)))

    link()  # compiles
    return {"seconds": best(link, 2), "bit_error_ratio": ratio[-1]}


if __name__ == "__main__":
    print(json.dumps({"frames": frames, "words": words, "light": light}[sys.argv[1]](int(sys.argv[2]))))
