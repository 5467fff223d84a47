"""Which average wins, against a search over everything."""

from __future__ import annotations

import numpy as np
import pytest

from ridgeway.averaging import Exponential, Geometric, Last, Staircase, Tail, Uniform
from ridgeway.theory import compare, excess_risk, fourth_moment_r2, winner_map

S = 1 / np.arange(1, 7.0)


# Law: the best of each kind is as good as the best of a dense search.
@pytest.mark.parametrize("snr", [0.02, 1.0, 30.0])
def test_best_of_each_kind(snr: float) -> None:
    n, step = 60, 0.5 / fourth_moment_r2(S)
    found = compare(S, n, snr=snr)
    v = np.full(6, np.sqrt(snr / S.sum()))
    assert found.step == step
    assert found.snr == pytest.approx(snr)
    tails = [excess_risk(Tail(start), S, v, 1.0, step, n).total for start in range(1, n)]
    assert found.best["tail"].risk.total <= min(tails) * (1 + 1e-3)
    alphas = np.geomspace(found.of_kind("geometric")[0].scheme.alpha, 1e3, 400)  # type: ignore[attr-defined]
    dense = [excess_risk(Geometric(alpha), S, v, 1.0, step, n).total for alpha in alphas]
    assert found.best["geometric"].risk.total <= min(dense) * (1 + 1e-4)
    assert found.best["uniform"].risk == excess_risk(Uniform(), S, v, 1.0, step, n)
    assert found.best["last"].risk == excess_risk(Last(), S, v, 1.0, step, n)
    order = [row.risk.total for row in found.best.values()]
    assert order == sorted(order)
    assert found.margin == pytest.approx(order[1] / order[0] - 1)
    assert str(found.winner.scheme) in str(found).splitlines()[2]


# Law: given schemes are compared as they are, at a given bias.
def test_given_schemes() -> None:
    bias = [1.0, -1.0]
    found = compare([1.0, 0.5], 20, bias=bias, noise_variance=0.2, step=0.1, schemes=[Exponential(0.9), Uniform()])
    assert {row.kind for row in found.table} == {"exponential", "uniform"}
    assert found.best["exponential"].risk == excess_risk(Exponential(0.9), [1.0, 0.5], bias, 0.2, 0.1, 20)
    assert compare([1.0], 1, snr=1.0).best.keys() == {"geometric", "uniform", "last"}  # a run of one step has no tails
    assert compare([1.0], 9, bias=[1.0], noise_variance=0.0).snr == np.inf


# Law: the map has the risks of compare at its places; weak signals go to geometric averages, strong ones to tails.
def test_map() -> None:
    spectra = {"harmonic": S, "flat": np.ones(3)}
    drawn = winner_map(spectra, n_steps=[1, 50, 2000], snrs=[0.02, 50.0])
    assert drawn.risks.shape == (4, 2, 3, 2)
    for k, s in enumerate(spectra.values()):
        for i, n in enumerate(drawn.n_steps[1:], 1):
            for j, snr in enumerate(drawn.snrs):
                here = compare(s, n, snr=snr)
                for kind, risk in zip(("geometric", "tail", "uniform", "last"), drawn.risks[:, k, i, j], strict=True):
                    assert risk == pytest.approx(here.best[kind].risk.total, rel=0.02)
                assert drawn.winner[k, i, j] == here.winner.kind
    assert (drawn.winner[:, 1, 0] == "geometric").all()
    assert (drawn.tail_over_geometric[:, 1, 0] > 1).all()
    assert (drawn.winner[:, 2, 1] == "tail").all()
    assert (drawn.tail_over_geometric[:, 2, 1] < 1).all()
    assert (drawn.margin >= 0).all()


def test_refusals() -> None:
    with pytest.raises(ValueError, match="neither bias nor snr is given"):
        compare([1.0], 10)
    with pytest.raises(ValueError, match=r"snr=-1\.0 is not positive"):
        compare([1.0], 10, snr=-1.0)
    with pytest.raises(ValueError, match="snr=1 cannot be reached with a signal of 0"):
        compare([1.0], 10, snr=1.0, bias=[0.0])
    with pytest.raises(ValueError, match="schemes is empty"):
        compare([1.0], 10, snr=1.0, schemes=[])
    with pytest.raises(ValueError, match="unstable"):
        compare([1.0], 10, snr=1.0, step=5.0)
    with pytest.raises(ValueError, match="the grid is empty"):
        winner_map({}, [10], [1.0])
    with pytest.raises(ValueError, match=r"snr=0\.0 is not positive"):
        winner_map({"one": [1.0]}, [10], [0.0])


# Law: where there is one kind of averages only, no other comes near it.
def test_margin_of_one_kind() -> None:
    assert compare(S, 100, snr=1.0, schemes=[Geometric(0.1), Geometric(0.2)]).margin == np.inf


# Law: without spectra the map is that of three usual ones.
def test_usual_spectra() -> None:
    usual = winner_map(n_steps=[50], snrs=[1.0])
    places = np.arange(1, 21.0)
    given = winner_map({"a": np.ones(20), "b": 1 / places, "c": 1 / places**2}, n_steps=[50], snrs=[1.0])
    assert usual.winner.tolist() == given.winner.tolist()
    assert len(usual.spectra) == 3


# Law: on a staircase the comparison is that of the exact risks there, and says what the steps were.
def test_staircase() -> None:
    s, steps = 1 / np.arange(1, 6), Staircase((0.01, 0.05), (100,))
    found = compare(s, 200, snr=0.1, step=steps)
    scheme, v = found.winner.scheme, np.sqrt(0.1 / s.sum()) * np.ones(5)
    assert found.winner.risk == excess_risk(scheme, s, v, 1.0, steps, 200)
    assert str(found).startswith("200 steps of 0.01 to 0.05, signal-to-noise 0.1")
    drawn = winner_map({"1/i": s}, [200], [0.1], step=steps)
    assert drawn.risks.min() == pytest.approx(found.winner.risk.total, rel=0.02)
    with pytest.raises(ValueError, match="unstable"):
        compare(s, 200, snr=0.1, step=Staircase((0.01, 5.0), (100,)))
    assert compare(s, 99, snr=0.1, step=Staircase((0.01, 5.0), (100,))).n_steps == 99  # a stair that is not reached
