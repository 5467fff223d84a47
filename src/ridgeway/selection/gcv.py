"""Choice by generalized cross-validation: no rows are held out; the training error is corrected for degrees of freedom.

One pass of least-squares SGD is linear in y, so an average predicts H y. The trace of H is estimated without bias by
running the same steps on labels of random sign z beside y: E z' H z = tr H.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ridgeway.averaging import Scheme
from ridgeway.rows import DenseRows
from ridgeway.rows.feed import Feed
from ridgeway.selection.candidate_table import Selection, marked
from ridgeway.selection.candidates import Candidates
from ridgeway.selection.capped_errors import Errors
from ridgeway.selection.contest import Contest, compare
from ridgeway.selection.error_moments import ErrorMoments, models_of
from ridgeway.selection.folds import MAX_GROUPS
from ridgeway.selection.memory_engine import MemoryEngine
from ridgeway.selection.plan import Plan
from ridgeway.selection.run_outcome import Outcome
from ridgeway.selection.settling import advance_until_settled
from ridgeway.selection.span import Span, span_of
from ridgeway.trajectory import Sketch, Trajectory

N_PROBES = 10  # columns of random signs; one alone has a standard deviation of about 18%
MIN_RELATIVE_WEIGHT = 1e-30  # share of the mean weight; probes are divided by the square root of the weight
MIN_RESIDUAL_SHARE = 0.1  # smallest accepted ratio of residual degrees of freedom to rows


class CorrectedFit:
    """Errors of the averages on the rows they were fitted to, divided by (1 - df/n)^2.

    Parameters
    ----------
    trajectory : of a run whose targets are those of y, then the probes.
    feed : all rows, with these targets.
    n_targets : targets of y.
    """

    def __init__(self, trajectory: Trajectory, feed: Feed, n_targets: int) -> None:
        self._trajectory, self._feed, self._n_targets = trajectory, feed, n_targets
        self._sparse = not isinstance(feed.source.rows, DenseRows)
        self._span: Span | None = None
        self._fit: ErrorMoments | None = None
        self._probes: ErrorMoments | None = None

    @property
    def weight(self) -> NDArray[np.float64]:
        """Weight of each group of rows, (groups,)."""
        assert self._fit is not None
        return self._fit.weight

    def span(self, schemes: Sequence[Scheme]) -> None:
        """Read the rows, for these schemes and all schemes between them."""
        standardization, k = self._feed.standardization, self._n_targets
        self._span = span_of(self._trajectory, standardization, self._sparse, schemes)
        directions, padded = self._span.directions, standardization.constant != 0
        self._fit = ErrorMoments(directions[:, :k], padded)
        self._probes = ErrorMoments(directions[:, k:], padded)
        for rows in np.array_split(np.arange(len(self._feed)), min(MAX_GROUPS, len(self._feed))):
            group = self._feed.take(rows)
            self._fit.add(replace(group, y=group.y[:, :k]))
            self._probes.add(replace(group, y=group.y[:, k:]))

    def errors(self, schemes: Sequence[Scheme]) -> Errors:
        """Corrected errors; none is capped."""
        assert self._fit is not None
        assert self._span is not None
        coordinates = self._span.coordinates(schemes)
        fitted = self._fit.errors(models_of(coordinates, np.zeros((len(schemes), self._n_targets))))
        left = 1 - self.degrees_of_freedom(schemes) / len(self._feed)
        corrected: NDArray[np.float64] = fitted / np.maximum(left, MIN_RESIDUAL_SHARE)[:, None, None] ** 2
        corrected[left < MIN_RESIDUAL_SHARE] = self.weight / MIN_RESIDUAL_SHARE**2  # worse than predicting nothing
        return Errors(corrected, corrected)

    def degrees_of_freedom(self, schemes: Sequence[Scheme]) -> NDArray[np.float64]:
        """Estimated trace of the hat matrix of each scheme, plus 1 for the intercept: (L,)."""
        assert self._probes is not None
        assert self._span is not None
        traces: NDArray[np.float64] = self._probes.covariances(self._span.coordinates(schemes)).mean(axis=1)
        return traces + (self._feed.standardization.constant != 0)


def by_gcv(feed: Feed, plan: Plan) -> Outcome:
    """Run over all rows with probes beside the targets, and choose by generalized cross-validation."""
    n_targets = feed.source.y.shape[1]
    probed = _with_probes(feed, plan)
    engine = MemoryEngine.over_all_rows(probed, plan)

    def score(rough: bool) -> Contest:
        trajectory = engine.trajectory()
        fit = CorrectedFit(trajectory, probed, n_targets)
        candidates = Candidates.of(plan.family or "auto", trajectory.elapsed, plan.step.size, rough)
        return compare([fit], candidates, plan.step.size, feed.standardization.unit, refine=not rough)

    ending = advance_until_settled(engine, replace(plan, settles=False, max_passes=plan.passes), score)
    selection = Selection(
        f"generalized cross-validation with {N_PROBES} probes", marked(ending.contest.rows, plan.one_standard_error)
    )
    whole = engine.trajectory()
    assert isinstance(whole, Sketch)
    trajectory = whole.of_targets(0, n_targets)
    if feed.source.single_target:
        trajectory = trajectory.single()
    return Outcome(trajectory, selection.chosen.scheme, selection, None, engine.passes)


def _with_probes(feed: Feed, plan: Plan) -> Feed:
    """Return the feed with columns of random signs beside the targets, over the root of the weights."""
    source, standardization = feed.source, feed.standardization
    weight = source.weight.astype(np.float64) / standardization.weight_scale
    if not weight.min() > MIN_RELATIVE_WEIGHT:
        raise ValueError(
            f"cv='gcv' with a weight of {weight.min():.2g} times the mean: expected more than "
            f"{MIN_RELATIVE_WEIGHT:g} times; drop such rows, or choose another cv."
        )
    signs = plan.rng.spawn(1)[0].choice([-1.0, 1.0], (len(source), N_PROBES)) / np.sqrt(weight)[:, None]
    wider = replace(
        standardization,
        target_offset=np.append(standardization.target_offset, np.zeros(N_PROBES)),
        target_scale=np.append(standardization.target_scale, np.ones(N_PROBES)),
    )
    batch = replace(source, y=np.hstack([source.y, signs]), single_target=False)
    return Feed(batch, wider)
