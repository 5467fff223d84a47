"""The model of a stream: which average it selects is decided when the model is read, not at every batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ridgeway.averaging import Last, Scheme, Tail
from ridgeway.derived import derived_property
from ridgeway.estimators.averages import Averages, SelectedModel
from ridgeway.estimators.sgd_fit import best_so_far
from ridgeway.estimators.stream import MIN_ROWS_TO_CHOOSE_AGAIN, Stream
from ridgeway.selection import Averaging, HeldOut, Selection


class StreamedSelection(NamedTuple):
    """The selected model of a stream, and the held-out rows of the fit before it until the stream chooses anew."""

    model: SelectedModel[Averages]
    held_out: HeldOut | None


@dataclass(frozen=True, eq=False)
class StreamedModel:
    """A stream after a batch, and the requested average.

    Attributes
    ----------
    stream : the stream, which does not change any more: a copy learns from the next batch.
    asked : the average, or the family to choose from.
    one_standard_error : the rule of choice.
    wanted, selection : the average of the model before these batches, and how it was chosen.
    held_out : held-out rows of the fit before the stream; None where there was none.
    """

    stream: Stream
    asked: Averaging
    one_standard_error: bool
    wanted: Scheme
    selection: Selection | None
    held_out: HeldOut | None

    @derived_property
    def selected(self) -> StreamedSelection:
        """The selected model."""
        stream, selection, held_out = self.stream, self.selection, self.held_out
        scheme = self.asked.scheme or self.wanted
        progressive = stream.progressive if self.asked.scheme is None else None
        if progressive is not None and (not stream.continued or progressive.rows >= MIN_ROWS_TO_CHOOSE_AGAIN):
            selection = best_so_far(progressive, stream.standardization.unit, self.one_standard_error)
            scheme = selection.chosen.scheme if selection else scheme
            held_out = None
        averages = stream.averages()
        if isinstance(scheme, Tail) and isinstance(scheme.start, int) and scheme.start > averages.trajectory.length:
            scheme = Last()  # a burn-in that has not ended yet
        return StreamedSelection(averages.at(scheme, selection, stream.ridge(), stream.noisy_strengths()), held_out)
