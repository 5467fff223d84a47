"""`WinnerMapDisplay`: geometric against tail averaging over a grid of problems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ridgeway.axes import axes_in_row

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from ridgeway.theory.winners import WinnerMap

MAX_COLOR_LOG2 = 3.0  # colours end at 2^3 either way


class WinnerMapDisplay:
    """One panel for each spectrum, with the number of steps upwards and the signal-to-noise ratio to the right.

    Blue cells: geometric averages have the smaller risk. Red cells: tails, including the last iterate, have the smaller
    risk. White: both are equal. The letter is the kind of least risk: G geometric, T tail, U uniform, L last.

    Parameters
    ----------
    winners : what `ridgeway.theory.winner_map` returned.

    Attributes
    ----------
    axs_ : one Axes for each spectrum.
    figure_ : where `plot` has drawn.

    Examples
    --------
    >>> from ridgeway.display import WinnerMapDisplay
    >>> from ridgeway.theory import winner_map
    >>> WinnerMapDisplay(winner_map({"one": [1.0]}, n_steps=[10, 100], snrs=[0.1, 1.0]))
    WinnerMapDisplay(1 spectra, 2 numbers of steps, 2 ratios)
    """

    axs_: list[Axes]
    figure_: Figure | SubFigure

    def __init__(self, winners: WinnerMap) -> None:
        self.winners = winners

    def __repr__(self) -> str:
        grid = self.winners
        return (
            f"WinnerMapDisplay({len(grid.spectra)} spectra, {len(grid.n_steps)} numbers of steps, "
            f"{len(grid.snrs)} ratios)"
        )

    def plot(self, axs: Sequence[Axes] | None = None) -> Self:
        """Draw the map.

        Parameters
        ----------
        axs : one matplotlib Axes for each spectrum; None makes a new figure.
        """
        grid = self.winners
        if axs is None:
            axs = axes_in_row(len(grid.spectra))
        if len(axs) != len(grid.spectra):
            raise ValueError(f"{len(axs)} axes for {len(grid.spectra)} spectra: expected one for each.")
        self.axs_, self.figure_ = list(axs), axs[0].figure
        shade = np.log2(grid.tail_over_geometric).clip(-MAX_COLOR_LOG2, MAX_COLOR_LOG2)
        mesh: Any = None
        for k, (ax, name) in enumerate(zip(self.axs_, grid.spectra, strict=True)):
            mesh = ax.pcolormesh(
                shade[k], cmap="RdBu", vmin=-MAX_COLOR_LOG2, vmax=MAX_COLOR_LOG2, edgecolors="white", linewidth=0.5
            )
            for i, row in enumerate(grid.winner[k]):
                for j, kind in enumerate(row):
                    dark = abs(shade[k, i, j]) > 0.7 * MAX_COLOR_LOG2
                    ax.text(
                        j + 0.5,
                        i + 0.5,
                        str(kind)[0].upper(),
                        ha="center",
                        va="center",
                        fontsize=9,
                        color="white" if dark else "0.2",
                    )
            ax.set_xticks(np.arange(len(grid.snrs)) + 0.5, [f"{snr:g}" for snr in grid.snrs], fontsize=8, rotation=45)
            ax.set_yticks(np.arange(len(grid.n_steps)) + 0.5, [f"{n:,}" for n in grid.n_steps], fontsize=8)
            ax.set_xlabel("signal-to-noise ratio")
            ax.set_title(name, fontsize=10)
        self.axs_[0].set_ylabel("number of steps")
        bar = self.figure_.colorbar(mesh, ax=self.axs_, shrink=0.9)
        bar.set_ticks(range(-3, 4), labels=["1/8", "1/4", "1/2", "1", "2", "4", "8"])
        bar.set_label("risk of the best tail / of the best geometric average")
        letters = "least risk: G geometric, T tail, U uniform, L last iterate"
        self.figure_.suptitle(letters, fontsize=10, x=0.01, ha="left")
        return self
