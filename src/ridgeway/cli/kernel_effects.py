"""A kernel model as text: how the prediction changes with each column, on average over rows that the model keeps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rich import box
from rich.table import Table

from ridgeway.cli.model_text import MAX_SHOWN_COEFFICIENTS
from ridgeway.estimators import AveragedKernelRegressor
from ridgeway.report.mean_effects import MeanEffects


def kernel_effects(model: AveragedKernelRegressor, names: Sequence[str], targets: Sequence[str] = ()) -> Table | str:
    """Return a table of the largest effects, or a sentence if the model keeps no rows at which to compute them.

    An effect is the mean change of the prediction when a column rises by its scale, and the others stay as they are. A
    kernel model has a coefficient for each row or component, which says nothing about columns.

    Parameters
    ----------
    model : the fitted estimator.
    names : names of the columns.
    targets : names of the targets; may be empty.
    """
    try:
        means = MeanEffects.of(model)
    except TypeError as error:
        return f"Effects of the columns are not known: {error}"
    effects, _ = means.at([model.averaging_])  # (1, targets, columns)
    places, columns = np.unravel_index(
        np.argsort(-np.abs(effects[0]), axis=None)[:MAX_SHOWN_COEFFICIENTS], effects[0].shape
    )
    scaled = "standard deviation" if model.scale else "unit"
    table = Table(
        box=box.SIMPLE_HEAD,
        title=f"The {len(columns)} largest of {effects[0].size:,} effects of columns",
        title_justify="left",
        caption=f"Mean change of the prediction when the column rises by one {scaled}, on rows that the model keeps.",
        caption_justify="left",
    )
    table.add_column("feature", overflow="fold")
    for name in ("effect", scaled):
        table.add_column(name, justify="right")
    for target, column in zip(places, columns, strict=True):
        of = targets[target] if targets else f"target {target}"
        name = names[column] if effects.shape[1] == 1 else f"{names[column]} ({of})"
        table.add_row(name, f"{effects[0, target, column]:.4g}", f"{means.scale[column]:.4g}")
    return table
