"""The encoder of a table, learned from rows of all parts of it."""

from __future__ import annotations

from collections.abc import Sequence

from ridgeway.data import DataError, Source, TableEncoder, target_of
from ridgeway.data.sample import SampleSource
from ridgeway.estimators.solver_choice import MAX_STREAM_COLUMNS
from ridgeway.tables.request import Request


def learned_encoder(source: Source, request: Request, features: Sequence[str], memory: int) -> TableEncoder:
    """Return an encoder that has learned from the first rows, or from a sample of the whole table if it has more.

    Texts have more features if all rows fit in memory, where any number of columns is solved exactly.

    Parameters
    ----------
    source : the table.
    request : what to fit.
    features : columns to learn from.
    memory : bytes of encoded rows that are allowed.
    """
    targets, weight = request.targets, request.weight
    target_of(next(source.batches(ahead=0)), targets, weight, source.name)  # before anything long
    left_out = [*targets, *([] if weight is None else [weight])]
    encoder = request.encoder(features, held=memory > 0).fit(source, leave_out=left_out)
    if encoder.rows_seen_ == encoder.learn_rows:  # there may be more: learn from rows of the whole file
        sample = SampleSource(source, encoder.learn_rows, request.seed)
        encoder = request.encoder(features).fit(sample, leave_out=left_out)
    elif encoder.n_features_out_ > MAX_STREAM_COLUMNS and encoder.row_bytes_ * encoder.rows_seen_ > memory:
        encoder = request.encoder(features).fit(source, leave_out=left_out)
    if encoder.n_features_out_ == 0:
        raise DataError(
            f"{source.name}: no usable column: all {len(features)} are empty, constant or of an unsupported kind; add "
            "columns."
        )
    return encoder
