"""Random rows, targets and weights: every dtype, form and scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

FORMS = ("dense", "fortran", "csr_matrix", "csr_array", "csc_matrix", "csc_array", "coo_matrix", "coo_array")
MAX_DECADES = {"float32": 38.0, "float64": 300.0}  # decades


@dataclass(frozen=True)
class Rows:
    """Some rows, as they are given to an estimator.

    Attributes
    ----------
    dense : (n, d), what X holds.
    y : (n,) or (n, targets).
    weight : (n,) or None.
    form : of X, one of FORMS.
    seed : of the order of entries in X.
    """

    dense: Any
    y: Any
    weight: Any
    form: str
    seed: int

    @property
    def X(self) -> Any:
        """The rows in their form."""
        return formed(self.dense, self.form, np.random.default_rng(self.seed))

    @property
    def arguments(self) -> tuple[Any, Any, Any]:
        """X, y and weights."""
        return self.X, self.y, self.weight

    def between(self, first: int, last: int) -> Rows:
        """Return some of the rows."""
        part = slice(first, last)
        weight = None if self.weight is None else self.weight[part]
        return replace(self, dense=self.dense[part], y=self.y[part], weight=weight)


def draw_rows(rng: np.random.Generator, extreme: float) -> Rows:
    """Return random rows; `extreme` is the share of data sets with scales beyond the ordinary."""
    n, d = int(rng.choice([1, 2, 3, 5, 20, 60, 200])), int(rng.integers(1, 6))
    dtype = str(rng.choice(["float32", "float64", "int64"], p=[0.4, 0.55, 0.05]))
    dense = rng.standard_normal((n, d)) + rng.choice([0.0, 0.0, 3.0, 1e5])
    dense[rng.random((n, d)) < rng.choice([0.0, 0.5, 0.9])] = 0.0
    y = dense @ rng.standard_normal(d) + rng.choice([0.0, 0.1, 5.0]) * rng.standard_normal(n)
    n_targets = int(rng.choice([0, 0, 0, 1, 3]))
    if n_targets:
        y = np.outer(y, rng.standard_normal(n_targets)) + rng.standard_normal((n, n_targets))
    most = MAX_DECADES.get(dtype, 5.0)
    if rng.random() < extreme:
        dense *= 10.0 ** rng.uniform(-most, most, d if rng.random() < 0.5 else 1)
    if rng.random() < extreme:
        y = y * 10.0 ** rng.uniform(-300, 300)
    if rng.random() < 0.2:
        dense[:, rng.integers(d)] = rng.choice([0.0, 1.0, -3e7])
    if rng.random() < 0.05:
        y = np.full_like(y, rng.choice([0.0, 7.0, 1e200, 1e-300]))
    with np.errstate(over="ignore", invalid="ignore"):
        dense = dense.astype(dtype)
    return Rows(
        dense, y, draw_weights(rng, n), str(rng.choice(FORMS, p=[0.4, 0.1, *[0.5 / 6] * 6])), int(rng.integers(2**31))
    )


def draw_weights(rng: np.random.Generator, n: int) -> Any:
    """Return weights of one kind: none, ones, some zero, of large ratios, all tiny or huge."""
    kind = rng.choice(["none", "ones", "ordinary", "zeros", "ratio", "scaled"], p=[0.5, 0.05, 0.15, 0.1, 0.1, 0.1])
    if kind == "none":
        return None
    weight = np.ones(n) if kind == "ones" else rng.uniform(0.1, 2.0, n)
    if kind == "zeros":
        weight[rng.random(n) < 0.5] = 0.0
    if kind == "ratio":
        weight[rng.integers(n)] *= 10.0 ** rng.uniform(6, 18)
    if kind == "scaled":
        weight *= 10.0 ** rng.uniform(-300, 300)
    return weight


def formed(dense: Any, form: str, rng: np.random.Generator) -> Any:
    """Return X in a form; sparse ones have explicit zeros and, as COO, entries that are sums of two."""
    if form == "dense":
        return dense
    if form == "fortran":
        return np.asfortranarray(dense)
    kept = (dense != 0) | (rng.random(dense.shape) < 0.1)
    row, column = np.nonzero(kept)
    data = dense[row, column]
    if form.startswith("coo") and len(data):
        twice = np.flatnonzero(rng.random(len(data)) < 0.2)
        row, column = np.append(row, row[twice]), np.append(column, column[twice])
        data = np.append(data, np.zeros(len(twice), data.dtype))
        order = rng.permutation(len(data))
        row, column, data = row[order], column[order], data[order]
    entries = sp.coo_array((data, (row, column)), shape=dense.shape)
    return getattr(sp, form)(entries)


def spoiled(rng: np.random.Generator, rows: Rows) -> Rows:
    """Return rows with one entry that must be refused, or that is very large."""
    dense, y, weight = rows.dense.copy(), np.array(rows.y, dtype=float), rows.weight
    n = len(dense)
    place = int(rng.integers(n))
    kind = rng.choice(["entry", "large", "target", "large target", "weight"])
    if kind == "entry" and dense.dtype.kind == "f":
        dense[place, rng.integers(dense.shape[1])] = rng.choice([np.nan, np.inf, -np.inf])
    elif kind == "large" and dense.dtype.kind == "f":
        most = float(np.finfo(dense.dtype).max)
        dense[place, rng.integers(dense.shape[1])] = most ** rng.uniform(0.3, 0.99)
    elif kind == "weight":
        weight = np.ones(n) if weight is None else weight.copy()
        weight[place] = rng.choice([-1.0, np.nan, 1e200])
    else:
        y[place] = rng.choice([np.nan, np.inf]) if kind == "target" else 10.0 ** rng.uniform(20, 300)
    return replace(rows, dense=dense, y=y, weight=weight)
