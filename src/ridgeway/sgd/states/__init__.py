"""The state of a run between two steps, one class for each case: dense sketch, sparse sketch, replay."""

from ridgeway.sgd.states.beginning import begin_state, state_from
from ridgeway.sgd.states.run_state import RunState

__all__ = ["RunState", "begin_state", "state_from"]
