"""How a replica is spread over accelerators: who splits a matrix, has a batch of its own, holds which experts."""

from __future__ import annotations

from dataclasses import dataclass, fields

from roundtrip.errors import DomainError

MOST = 100_000
SERVER = 8  # accelerators that fast links join, where the catalog does not say otherwise


@dataclass(frozen=True, slots=True)
class Layout:
    """The ranks of one replica.

    Attributes
    ----------
    tensor : int
        Accelerators that split every matrix of attention and of the common layers.
    groups : int
        Such groups, each with a batch of its own (data-parallel attention), that share the experts.
    expert : int
        Parts into which the experts are dealt out, at most all accelerators; within a part an expert's matrices are
        split further. 1: every expert is split over all accelerators.
    pipeline : int
        Stages, each with its share of the layers and accelerators of its own.
    batch_parts : int
        Parts of a batch that take turns, so that one computes while the other communicates.
    overlap : float
        Share of the communication that work hides: 0 with one part, near 1 with two.
    redundant : int
        Experts of a layer that are held twice.
    server : int
        Accelerators that fast links join; 0: as the catalog says of the accelerator.
    """

    tensor: int = 1
    groups: int = 1
    expert: int = 1
    pipeline: int = 1
    batch_parts: int = 1
    overlap: float = 0.0
    redundant: int = 0
    server: int = 0

    def __post_init__(self) -> None:
        """Refuse what no cluster could be."""
        for one in fields(self):
            value = getattr(self, one.name)
            least, most = (0, 1) if one.name == "overlap" else (0, MOST) if one.default == 0 else (1, MOST)
            if not least <= value <= most:
                raise DomainError(f"layout: {one.name} = {value}, expected {least} to {most}")
        if self.expert > self.tensor * self.groups:
            raise DomainError(
                f"layout: expert = {self.expert}, but a stage has {self.tensor * self.groups} accelerators "
                "(tensor x groups)"
            )

    @property
    def accelerators(self) -> int:
        """Accelerators of the replica."""
        return self.tensor * self.groups * self.pipeline
