"""`PathDisplay`: the coefficients against the ridge strength."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ridgeway.axes import axes
from ridgeway.display.margin import label_right
from ridgeway.estimators import AveragedKernelRegressor, AveragedSGDRegressor
from ridgeway.estimators.column_scale import column_scale
from ridgeway.messages.strength_warnings import no_strength_warnings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from numpy.typing import ArrayLike

    from ridgeway.rows import Float

N_ALPHAS = 100
KERNEL_ALPHA_FACTOR = 100.0  # range of alpha to either side of that of a kernel model
GREY = "0.75"
N_COLORS = 10  # colours of matplotlib's cycle
N_EXACT_DOTS = 12  # dots of exact ridge on each line


class PathDisplay:
    """Coefficient paths: one line for each feature, from strong regularization on the left to weak on the right.

    Lines are comparable if the coefficients are those of standardized features, ``coefs * scale``. In the user's units,
    a feature of small numbers has a large coefficient. Make it with `from_estimator`.

    Parameters
    ----------
    alphas : (L,), ridge strengths above 0, because the axis is logarithmic.
    coefs : (L, n_features), the coefficients to draw.
    feature_names : one name for each feature.
    alpha : strength of the selected average, marked by a dashed line if it is in the range of alphas; None draws none.
    quantity : what the coefficients are, in words.
    exact : (L, n_features), coefficients of exact ridge, drawn as dots; None draws none.

    Attributes
    ----------
    ax_, figure_ : where `plot` has drawn.
    lines_ : (n_features,), the lines in the order of the features.
    dots_ : dots of exact ridge, for the lines in colour, largest first.

    Examples
    --------
    >>> import numpy as np
    >>> from ridgeway.display import PathDisplay
    >>> display = PathDisplay([0.1, 1.0], np.array([[2.0, 1.0], [1.0, 0.5]]), feature_names=["age", "size"], alpha=0.5)
    >>> display
    PathDisplay(2 alphas from 0.1 to 1, 2 features)
    """

    ax_: Axes
    figure_: Figure | SubFigure
    lines_: list[Any]
    dots_: list[Any]

    def __init__(
        self,
        alphas: ArrayLike,
        coefs: Float,
        *,
        feature_names: Sequence[str],
        alpha: float | None = None,
        quantity: str = "coefficient",
        exact: Float | None = None,
    ) -> None:
        strengths = np.asarray(alphas, dtype=np.float64)
        order = np.argsort(strengths)
        if strengths.size == 0 or strengths[order[0]] <= 0:
            raise ValueError(
                f"alphas={alphas!r}: expected strengths above 0 for a logarithmic axis; leave out 0, which is nearly "
                "the same as any alpha below 1 / (step * n_steps)."
            )
        _require_alike(exact, coefs)
        self.alphas, self.coefs, self.exact = strengths[order], coefs[order], None if exact is None else exact[order]
        self.feature_names, self.alpha, self.quantity = list(feature_names), alpha, quantity

    def __repr__(self) -> str:
        ends = f"from {self.alphas[0]:g} to {self.alphas[-1]:g}"
        return f"PathDisplay({len(self.alphas)} alphas {ends}, {self.coefs.shape[1]} features)"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        alphas: ArrayLike | None = None,
        *,
        target: int = 0,
        standardized: bool = True,
        labels: int = 10,
        exact: Any = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the path of a fitted estimator, beside exact ridge if that is given.

        Parameters
        ----------
        estimator : a fitted estimator of a path, or anything with ``path(alphas)``.
        alphas : (L,), strengths above 0; None takes 100, for a run of T steps of size eta from 1 / (eta T), below which
            all averages are alike, to 10 / eta, above which the coefficients vanish; for a kernel model, two decades to
            either side of its alpha.
        target : number of the target, if the fitted y was 2-D.
        standardized : True multiplies each coefficient by the scale of its column.
        labels : number of the largest lines that have a colour and a name.
        exact : an `ExactRidgePath` fitted to the same rows, whose coefficients are drawn as dots beside the lines in
            colour. None draws none.
        ax : matplotlib Axes to draw on; None makes new ones.
        **kwargs : passed on to matplotlib's plot, for all lines.

        Examples
        --------
        >>> import numpy as np, ridgeway as rw
        >>> from ridgeway.display import PathDisplay
        >>> X = np.random.default_rng(0).standard_normal((100, 3))
        >>> model = rw.ExactRidgePath().fit(X, X @ [1.0, 2.0, 3.0])
        >>> PathDisplay.from_estimator(model)
        PathDisplay(100 alphas from 1e-06 to 1000, 3 features)
        >>> run = rw.AveragedSGDRegressor(random_state=0).fit(X, X @ [1.0, 2.0, 3.0])
        >>> len(PathDisplay.from_estimator(run, [0.1, 1.0, 10.0], exact=model).dots_)
        3
        """
        strengths = _alphas(estimator) if alphas is None else alphas
        coefs = _coefs(estimator, strengths, target)
        ridge = None if exact is None else _coefs(exact, strengths, target)
        _require_alike(ridge, coefs)
        scale = column_scale(estimator) if standardized else None
        names = getattr(estimator, "feature_names_in_", [f"x{i}" for i in range(coefs.shape[1])])
        quantity = "coefficient" if scale is None else "coefficient of the standardized feature"
        if isinstance(estimator, AveragedKernelRegressor):
            of_rows = estimator.n_components is None
            names = [f"{'row' if of_rows else 'component'} {i}" for i in range(coefs.shape[1])]
            quantity = "coefficient of the kernel at a row" if of_rows else "coefficient of the component"
        display = cls(
            strengths,
            coefs if scale is None else coefs * scale,
            feature_names=[str(name) for name in names],
            alpha=getattr(estimator, "alpha_", None),
            quantity=quantity,
            exact=ridge if ridge is None or scale is None else ridge * scale,
        )
        return display.plot(ax, labels=labels, **kwargs)

    def plot(self, ax: Axes | None = None, *, labels: int = 10, **kwargs: Any) -> Self:
        """Draw the lines, those of the largest |coefficient| in colour.

        Parameters
        ----------
        ax : matplotlib Axes to draw on; None makes new ones.
        labels : how many lines have a colour and a name.
        **kwargs : passed on to matplotlib's plot, for all lines.
        """
        self.figure_, self.ax_ = axes(ax)
        largest = np.argsort(-np.abs(self.coefs).max(axis=0), kind="stable")[: max(0, labels)].tolist()
        self.lines_, self.dots_ = [], []
        for k, coefs in enumerate(self.coefs.T):
            style: dict[str, Any] = {"color": GREY, "linewidth": 0.6, "zorder": 1}
            if k in largest:
                style = {"color": f"C{largest.index(k) % N_COLORS}", "linewidth": 1.6, "zorder": 2}
            self.lines_ += self.ax_.plot(self.alphas, coefs, **style | kwargs)
        if self.exact is not None:
            few = slice(None, None, max(1, len(self.alphas) // N_EXACT_DOTS))
            for k in largest:
                color = self.lines_[k].get_color()
                self.dots_ += self.ax_.plot(self.alphas[few], self.exact[few, k], "o", color=color, markersize=4)
            self.ax_.plot([], [], "o", color="0.3", markersize=4, label="exact ridge")
            self.ax_.legend(loc="upper left", frameon=False)
        self.ax_.axhline(0.0, color="0.3", linewidth=0.6, zorder=0)
        if self.alpha and self.alphas[0] <= self.alpha <= self.alphas[-1]:
            self.ax_.axvline(self.alpha, color="0.3", linestyle="--", linewidth=1.0, zorder=0)
            self.ax_.text(
                self.alpha, 1.01, f"alpha = {self.alpha:.3g}", transform=self.ax_.get_xaxis_transform(), ha="center"
            )
        self.ax_.set_xscale("log")
        # Ridge paths meet at 0 for strong alphas. With the weak end on the right, the labels are where lines are apart.
        self.ax_.set_xlim(*_limits(self.alphas))
        self.ax_.set_xlabel(r"alpha  (weaker regularization $\rightarrow$)")
        self.ax_.set_ylabel(self.quantity)
        for side in ("top", "right"):
            self.ax_.spines[side].set_visible(False)
        colors = [str(self.lines_[k].get_color()) for k in largest]
        label_right(self.ax_, self.coefs[0, largest], [self.feature_names[k] for k in largest], colors)
        return self


def _coefs(estimator: Any, alphas: ArrayLike, target: int) -> Float:
    """Return the coefficients of one target of a path, (L, n_features)."""
    check_is_fitted(estimator)
    with no_strength_warnings():
        coefs: Float = estimator.path(alphas).coefs
    if coefs.ndim == 3:
        if not -coefs.shape[1] <= target < coefs.shape[1]:
            raise ValueError(
                f"target={target} is out of range: expected 0 to {coefs.shape[1] - 1}, the targets of the fit; pass "
                "one of these."
            )
        return coefs[:, target]
    if target != 0:
        raise ValueError(f"target={target} is out of range: the fitted y had one target; leave target out.")
    return coefs


def _require_alike(exact: Float | None, coefs: Float) -> None:
    if exact is not None and exact.shape != coefs.shape:
        raise ValueError(
            f"exact has coefficients of shape {exact.shape}: expected {coefs.shape}, those of the lines; fit both to "
            "the same columns."
        )


def _alphas(estimator: Any) -> Float:
    """Return the strengths over which the coefficients change."""
    if isinstance(estimator, AveragedKernelRegressor) and estimator.alpha_:
        return np.geomspace(estimator.alpha_ / KERNEL_ALPHA_FACTOR, estimator.alpha_ * KERNEL_ALPHA_FACTOR, N_ALPHAS)
    if isinstance(estimator, AveragedSGDRegressor | AveragedKernelRegressor):
        run = estimator._fitted().ridge.trajectory
        return np.geomspace(1 / max(run.elapsed, run.step), 10 / run.step, N_ALPHAS)
    return np.logspace(-6, 3, N_ALPHAS)


def _limits(alphas: Float) -> tuple[float, float]:
    """Return the axis limits, from the largest to the smallest strength."""
    low, high = float(alphas[0]), float(alphas[-1])
    return (high, low) if low < high else (high * 10, low / 10)
