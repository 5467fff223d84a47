"""What a column of a table becomes."""

from ridgeway.data.encoding.encoding import Encoding, Learner, Options
from ridgeway.data.encoding.learning import learner_of
from ridgeway.data.encoding.plan import Plan
from ridgeway.data.encoding.state import whole

__all__ = ["Encoding", "Learner", "Options", "Plan", "learner_of", "whole"]
