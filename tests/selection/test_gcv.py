"""Degrees of freedom by probes against the hat matrix itself."""

from __future__ import annotations

import numpy as np
from tests.oracles import problem

import ridgeway as rw
from ridgeway.rows import check_batch
from ridgeway.rows.feed import Feed
from ridgeway.rows.standardization import Standardization
from ridgeway.selection.gcv import CorrectedFit


# Law: E z' H z = tr H, where H y are the predictions of the averaged run.
def test_degrees_of_freedom_are_the_trace_of_the_hat_matrix() -> None:
    rng = np.random.default_rng(0)
    X, y = problem(60, 5)
    schemes = [rw.Geometric(0.01), rw.Geometric(1.0), rw.Uniform(), rw.Last()]
    step, passes, probes = 0.05, 3, 400
    hats = rw.run_sgd(X, np.eye(60), step=step, passes=passes).average(schemes)  # (schemes, targets, d)
    traces = np.array([np.trace(X @ coef.T) for coef in hats])
    labels = np.column_stack([y, rng.choice([-1.0, 1.0], (60, probes))])
    batch = check_batch(X, labels, target_dtype=np.dtype(np.float64))
    plain = Standardization(np.zeros(5), np.ones(5), 0.0, np.zeros(probes + 1), np.ones(probes + 1), 1.0)
    run = rw.run_sgd(X, labels, step=step, passes=passes, store="sketch")
    assert isinstance(run, rw.Sketch)
    fit = CorrectedFit(run, Feed(batch, plain), 1)
    fit.span(schemes)
    np.testing.assert_allclose(fit.degrees_of_freedom(schemes), traces, rtol=0.1)
    fitted = np.array([((y - X @ run.average([scheme])[0, 0]) ** 2).sum() for scheme in schemes])
    corrected = fitted / (1 - fit.degrees_of_freedom(schemes) / 60) ** 2
    np.testing.assert_allclose(fit.errors(schemes).capped[:, 0].sum(axis=1), corrected, rtol=1e-6)
