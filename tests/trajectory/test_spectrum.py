"""The spectrum against gradient descent step by step, and against solved equations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.oracles import relative_error

import ridgeway as rw
from ridgeway.averaging import Scheme
from ridgeway.storage.state import StateError, Stored
from ridgeway.trajectory import Basis, Spectrum, trajectory_of

Array = NDArray[np.float64]
N_STEPS = 300
SCHEMES: list[Scheme] = [
    rw.Uniform(),
    rw.Last(),
    rw.Tail(0.5),
    rw.Tail(7),
    rw.NegativeBinomial(0.3, 2),
    rw.NegativeBinomial(0.0, 3),
    rw.Poisson(40.0),
    rw.Exponential(0.97),
]


def problem(d: int = 5, targets: int = 2, rank: int | None = None) -> tuple[Array, Array]:
    """A of a given rank, and b in its range."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, rank or d)) @ rng.standard_normal((rank or d, d))
    A = X.T @ X / 30
    return A, A @ rng.standard_normal((d, targets))


def spectrum_of(A: Array, b: Array, **changed: Any) -> Spectrum:
    s, V = np.linalg.eigh(A)
    s = np.where(s < 1e-12 * s.max(), 0.0, s)
    basis = Basis(s, V, np.where(s > 0, b.T @ V, 0.0), np.zeros_like(s))
    given: dict[str, Any] = {"step": 1 / s.max(), "n_steps": N_STEPS, "single_target": False} | changed
    return Spectrum([basis], **given)


def descent(A: Array, b: Array, step: float, n_steps: int) -> Array:
    """w_0 .. w_T of gradient descent, (T + 1, targets, d)."""
    w = np.zeros_like(b)
    iterates = [w]
    for _ in range(n_steps):
        w = w + step * (b - A @ w)
        iterates.append(w)
    return np.array(iterates).transpose(0, 2, 1)


# Law: every scheme is the average of the iterates of full-batch gradient descent, by its weights.
@pytest.mark.parametrize("scheme", SCHEMES, ids=str)
@pytest.mark.parametrize("rank", [None, 3])
def test_schemes_are_averages_of_gradient_descent(scheme: Scheme, rank: int | None) -> None:
    A, b = problem(rank=rank)
    spectrum = spectrum_of(A, b)
    iterates = descent(A, b, spectrum.step, N_STEPS)
    expected = np.tensordot(scheme.weights(N_STEPS, spectrum.step), iterates, axes=1)
    assert relative_error(spectrum.coef(scheme), expected) < 1e-11


# Law: the geometric average is ridge exactly, which is the limit of long runs.
@pytest.mark.parametrize("alpha", [1e-6, 1e-3, 0.5, 20.0])
def test_geometric_average_is_ridge(alpha: float) -> None:
    A, b = problem()
    expected = np.linalg.solve(A + alpha * np.eye(5), b).T
    assert relative_error(spectrum_of(A, b).coef(rw.Geometric(alpha)), expected) < 1e-10
    if alpha >= 0.5:
        iterates = descent(A, b, 0.01, 20_000)
        long_run = np.tensordot(rw.Geometric(alpha).weights(20_000, 0.01), iterates, axes=1)
        assert relative_error(long_run, expected) < 1e-10


# Law: at alpha = 0 it is the least-squares solution of least norm.
def test_without_penalty_the_solution_of_least_norm() -> None:
    A, b = problem(rank=3)
    assert relative_error(spectrum_of(A, b).path([0.0])[0], (np.linalg.pinv(A, rcond=1e-10) @ b).T) < 1e-9


# Law: path, average and coef say the same, in the shape of y and in the precision asked for.
def test_answers_agree() -> None:
    A, b = problem(targets=1)
    spectrum = spectrum_of(A, b, single_target=True, dtype=np.float32)
    path = spectrum.path([0.1, 2.0])
    assert path.shape == (2, 5)
    assert path.dtype == np.float32
    assert spectrum.shape == (5,)
    np.testing.assert_array_equal(path[1], spectrum.coef(rw.Geometric(2.0)))
    np.testing.assert_array_equal(spectrum.average([rw.Geometric(2.0), rw.Last()])[0], path[1])


# Law: iterate(k) is the k-th iterate.
@pytest.mark.parametrize("k", [0, 1, 17, N_STEPS])
def test_iterates(k: int) -> None:
    A, b = problem()
    spectrum = spectrum_of(A, b)
    expected = descent(A, b, spectrum.step, N_STEPS)[k]
    np.testing.assert_allclose(spectrum.iterate(k), expected, rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="expected the index of an iterate"):
        spectrum.iterate(N_STEPS + 1)


# Law: degrees of freedom are the trace of the matrix that maps y to predictions.
@pytest.mark.parametrize("scheme", [rw.Geometric(0.2), rw.Geometric(0.0), rw.Last(), rw.Tail(0.5)], ids=str)
def test_degrees_of_freedom(scheme: Scheme) -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((30, 5))
    A = X.T @ X / 30
    hat = X @ spectrum_of(A, X.T / 30).coef(scheme).T  # each row of X' as a target
    expected = np.trace(hat)
    assert spectrum_of(A, X.T / 30).degrees_of_freedom([scheme])[0] == pytest.approx(expected, rel=1e-10)


# Law: a stored spectrum answers what it answered, bit for bit.
def test_stored_spectrum() -> None:
    A, b = problem()
    spectrum = spectrum_of(A, b, weakest=0.01, dtype=np.float32)
    other = trajectory_of(Stored(spectrum.state()))
    assert isinstance(other, Spectrum)
    np.testing.assert_array_equal(
        other.average([rw.Geometric(0.3), *SCHEMES]), spectrum.average([rw.Geometric(0.3), *SCHEMES])
    )
    assert (other.tolerance, other.weakest, other.n_steps, other.step) == (1e-12, 0.01, N_STEPS, spectrum.step)


# Law: a state that no spectrum has is refused.
@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("step", 1e9, "beyond 2"),
        ("shape", [2], "expected 2 numbers"),
        ("bases", [], "expected one, or one for each"),
    ],
)
def test_made_up_states(name: str, value: Any, message: str) -> None:
    A, b = problem()
    state = spectrum_of(A, b).state() | {name: value}
    with pytest.raises(StateError, match=message):
        Spectrum.from_state(Stored(state))


# Law: within a Krylov space the tolerance is the residual, and bounds on the error hold where they are told.
def test_error_bounds() -> None:
    A, b = problem(d=12, targets=1)
    Q = np.linalg.qr(np.column_stack([np.linalg.matrix_power(A, k) @ b[:, 0] for k in range(4)]))[0]
    T = Q.T @ A @ Q
    theta, S = np.linalg.eigh(T)
    left = A @ Q[:, -1] - Q @ (Q.T @ A @ Q[:, -1])
    basis = Basis(theta, Q @ S, (b.T @ Q @ S), np.linalg.norm(left) * S[-1])
    spectrum = Spectrum([basis], 0.5 / theta.max(), 10, True, weakest=0.1)
    for alpha in (0.1, 1.0, 10.0):
        w, shifted = spectrum.coef(rw.Geometric(alpha)), A + alpha * np.eye(12)
        assert 0 < np.linalg.norm(w - np.linalg.solve(shifted, b[:, 0])) <= spectrum.error_bounds([alpha])[0, 0]
        residual = np.linalg.norm(b[:, 0] - shifted @ w) / np.linalg.norm(b)
        assert residual <= spectrum.tolerance * (1 + 1e-9)
        if alpha == spectrum.weakest:
            assert residual == pytest.approx(spectrum.tolerance)
    with pytest.raises(ValueError, match="no bound holds for least squares"):
        spectrum.error_bounds([0.0])
    with pytest.raises(ValueError, match="fit with solver='gram'"):
        spectrum.degrees_of_freedom([rw.Last()])
