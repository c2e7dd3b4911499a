"""Run lines through GNPy and print what it finds: for .judges/gnpy/bin/python, see tools/judges.sh.

Standard input: ``{name: {"equipment": ..., "topology": ..., "spectrum": ...}}``, as roundtrip.journey.links_gnpy writes
it. Standard output: for each name OSNR and GSNR of every channel, and the processor seconds of the propagation alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from copy import deepcopy
from pathlib import Path
from typing import Any


def judge(given: dict[str, Any], rounds: int) -> dict[str, Any]:
    """Return GNPy's figures for one line."""
    from gnpy.core.network import design_network
    from gnpy.core.utils import dbm2watt
    from gnpy.tools.json_io import load_equipment, load_initial_spectrum, network_from_json
    from gnpy.topology.request import PathRequest, propagate

    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{name}.json" for name in ("equipment", "spectrum")}
        for name, path in files.items():
            path.write_text(json.dumps(given[name]), encoding="utf-8")
        equipment = load_equipment(files["equipment"])
        spectrum = load_initial_spectrum(files["spectrum"])
    default = equipment["SI"]["default"]
    power_W = dbm2watt(default.power_dbm)
    request = PathRequest(
        request_id="0", trx_type="", trx_mode="", source="A", destination="B", bidir=False, nodes_list=["B"],
        loose_list=["STRICT"], format="", path_bandwidth=0, effective_freq_slot=None, baud_rate=default.baud_rate,
        roll_off=default.roll_off, spacing=default.spacing, f_min=default.f_min, f_max=default.f_max,
        nb_channel=len(spectrum), power=power_W, tx_power=dbm2watt(default.tx_power_dbm), tx_osnr=default.tx_osnr,
        OSNR=None, bit_rate=None, min_spacing=None, cost=None, penalties={}, equalization_offset_db=0,
    )  # fmt: skip
    request.initial_spectrum = spectrum
    best = float("inf")
    for _ in range(rounds):
        network = network_from_json(deepcopy(given["topology"]), equipment)
        design_network(request, network, equipment, set_connector_losses=False, verbose=False)
        by_name = {node.uid: node for node in network.nodes()}
        path = [by_name[element["uid"]] for element in given["topology"]["elements"]]
        start = time.process_time()
        propagate(path, request, equipment)
        best = min(best, time.process_time() - start)
    end = path[-1]
    return {
        "osnr_dB": end.osnr_ase_01nm.tolist(), "gsnr_dB": end.snr_01nm.tolist(),
        "osnr_signal_dB": end.osnr_ase.tolist(), "gsnr_signal_dB": end.snr.tolist(), "seconds": best,
    }  # fmt: skip


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    print(json.dumps({name: judge(given, count) for name, given in asked.items()}))
