"""What a column of a table becomes."""

from ridgeway.data.encoding.encoding import Encoding, Learner, Options
from ridgeway.data.encoding.learning import learner_of
from ridgeway.data.encoding.table_encoding import TableEncoding

__all__ = ["Encoding", "Learner", "Options", "TableEncoding", "learner_of"]
