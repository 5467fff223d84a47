"""The state of a fit by averaged SGD, as plain values and arrays, and the fit of such a state."""

from __future__ import annotations

from typing import NamedTuple

from ridgeway.averaging import Scheme, scheme_of
from ridgeway.estimators.averages import Averages, SelectedModel
from ridgeway.estimators.stream import Stream
from ridgeway.selection import HeldOut
from ridgeway.selection.candidate_table import Selection
from ridgeway.storage.state import State, Stored, state_of
from ridgeway.trajectory import Chains, Replay, Trajectory, trajectory_of


class Fit(NamedTuple):
    """A fit: the selected average, and the run if it can go on."""

    selected: SelectedModel[Averages]
    stream: Stream | None
    held_out: HeldOut | None
    n_rows: int
    passes: float


def fit_state(
    selected: SelectedModel[Averages],
    stream: Stream | None,
    held_out: HeldOut | None,
    n_rows: int,
    passes: float,
) -> State:
    """Return the state of a fit. A stream holds its trajectory; a replay is turned into a sketch."""
    going_on = stream is not None and not stream.run.keeps_rows
    averages = None if going_on else selected.averages.state()
    beside = selected.ridge is not selected.averages and not going_on
    if averages is not None and _keeps_rows(selected.averages.trajectory):
        _require_answer(trajectory_of(Stored(averages["trajectory"])), selected.scheme)
    return {
        "wanted": selected.wanted.state(),
        "selection": state_of(selected.selection),
        "stream": stream.state() if stream is not None and going_on else None,
        "averages": averages,
        "ridge": selected.ridge.trajectory.state() if beside else None,
        "held_out": state_of(held_out),
        "n_rows": n_rows,
        "passes": passes,
    }


def fit_from(stored: Stored) -> Fit:
    """Return the fit of a state."""
    wanted = scheme_of(stored.part("wanted"))
    going_on = stored.read("stream", Stream.from_state)
    noisy = None
    if going_on is None:
        everything = Averages.from_state(stored.part("averages"))
        beside = stored.read("ridge", trajectory_of)
        ridge = None if beside is None else everything.of_run(beside)
    else:
        everything, ridge = going_on.averages(), going_on.ridge()
        noisy = going_on.noisy_strengths()
    n_targets = len(everything.standardization.target_scale)
    return Fit(
        everything.at(wanted, stored.read("selection", Selection.from_state), ridge, noisy),
        going_on,
        stored.read("held_out", HeldOut.from_state, n_targets),
        stored.integer("n_rows", 1),
        stored.number("passes", 0.0),
    )


def _keeps_rows(trajectory: Trajectory) -> bool:
    runs = trajectory.chains if isinstance(trajectory, Chains) else (trajectory,)
    return any(isinstance(run, Replay) for run in runs)


def _require_answer(sketch: Trajectory, scheme: Scheme) -> None:
    """Refuse to store a replay whose sketch would not answer for the scheme that is selected."""
    nearest = sketch.nearest(scheme)
    if nearest != scheme:
        raise ValueError(
            f"a model file holds a sketch, not the rows of a replay, and a sketch answers {nearest} instead of "
            f"{scheme}: save model.at({nearest}), or fit with store='sketch'."
        )
    sketch.coef(scheme)  # refuses a scheme that is not smooth enough, with its remedy
