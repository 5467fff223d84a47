"""Trajectories: what a run stores, and the averages for any scheme computed from it."""

from ridgeway.trajectory.chains import Chains, join, merge, trajectory_of
from ridgeway.trajectory.layout import Layout
from ridgeway.trajectory.replay import Replay, Segment
from ridgeway.trajectory.sketch import Sketch
from ridgeway.trajectory.spectrum import Basis, Spectrum
from ridgeway.trajectory.time_blocks import Block, TimeBlocks
from ridgeway.trajectory.trajectory import RunFacts, Trajectory

__all__ = [
    "Basis",
    "Block",
    "Chains",
    "Layout",
    "Replay",
    "RunFacts",
    "Segment",
    "Sketch",
    "Spectrum",
    "TimeBlocks",
    "Trajectory",
    "join",
    "merge",
    "trajectory_of",
]
