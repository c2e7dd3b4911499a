"""The choices of a scenario: each slot holds one entry of one catalog kind, or one of a few words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Slot:
    """One choice of a scenario. `kind` is a catalog kind, or None where `words` lists what may stand there."""

    meaning: str
    kind: str | None = None
    words: tuple[str, ...] = ()


SLOTS: dict[str, Slot] = {
    "person.who": Slot("who types and reads", "people"),
    "keyboard.board": Slot("the keyboard or touch screen", "keyboards"),
    "keyboard.switch": Slot("what is under the finger", "key_switches"),
    "computer.host": Slot("the computer or phone", "hosts"),
    "computer.grid": Slot("the electricity of the person", "grids"),
    "network.place": Slot("where the person is", "places"),
    "network.region": Slot("where the model runs", "places"),
    "network.access": Slot("the way to the internet", "access_networks"),
    "network.route": Slot("how the cables run", "routes"),
    "network.edge": Slot("who terminates TLS", "edges"),
    "network.transport": Slot("what carries the request", words=("tcp", "quic")),
    "network.connection": Slot("state of the connection", words=("warm", "resumed", "cold")),
    "optics.fiber": Slot("the long-haul fiber", "fibers"),
    "optics.amplifier": Slot("the line amplifiers", "amplifiers"),
    "optics.line": Slot("the long-haul transponder", "transceivers"),
    "optics.roadm": Slot("the wavelength switches", "optical_switches"),
    "optics.short": Slot("the transceivers inside the datacenter", "transceivers"),
    "datacenter.site": Slot("the building", "datacenters"),
    "datacenter.grid": Slot("the electricity of the building", "grids"),
    "datacenter.fabric": Slot("the packet switches", "packet_switches"),
    "datacenter.balancer": Slot("how a server is chosen", "balancers"),
    "model.where": Slot("where the model runs", words=("cloud", "device")),
    "model.name": Slot("the model", "models"),
    "model.accelerator": Slot("the accelerator", "accelerators"),
    "model.serving": Slot("how it is served: batch, parallelism, load", "servings"),
    "model.draft": Slot("what drafts tokens ahead", "drafts"),
    "training.run": Slot("the run that made the weights", "training_runs"),
    "prompt.reply": Slot("how long the reply is", "replies"),
    "display.panel": Slot("the screen", "displays"),
    "display.font": Slot("the text on it", "fonts"),
    "eye.viewer": Slot("the eye", "viewers"),
    "concept.lab": Slot("the sliders of the concept lab", "concepts"),
}
