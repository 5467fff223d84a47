"""The laws of every averaging scheme, run over the examples of each class that the package exports."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ridgeway.averaging
from ridgeway.averaging import Poisson, Scheme, Staircase, scheme_of
from ridgeway.storage.state import Stored
from ridgeway.testing import (
    check_average,
    check_continuation,
    check_sampling,
    check_scheme_class,
    check_scheme_shapes,
    check_survival,
    check_weights,
)

EXPORTS = {name: getattr(ridgeway.averaging, name) for name in ridgeway.averaging.__all__}
CLASSES = [
    item
    for item in EXPORTS.values()
    if inspect.isclass(item) and issubclass(item, Scheme) and not inspect.isabstract(item)
]
EXAMPLES = [scheme for cls in CLASSES for scheme in cls.examples()]

every_class = pytest.mark.parametrize("cls", CLASSES)
every_scheme = pytest.mark.parametrize("scheme", EXAMPLES, ids=repr)
seeded = settings(derandomize=True, deadline=None, max_examples=25)
STAIRS = Staircase((0.05, 0.3, 0.1), (4, 20))
any_step = pytest.mark.parametrize("step", [0.3, STAIRS], ids=["constant", "stairs"])


def staircase_run(stairs: list[tuple[float, int]], n_more: int) -> tuple[int, Staircase]:
    """Return a run over stairs of (size, length) that goes on for some steps on the last one."""
    sizes = np.repeat([size for size, _ in stairs], [length for _, length in stairs])
    return len(sizes) - 1 + n_more, Staircase.of_sequence(sizes)


# Runs of (n_steps, step), the absolute error that laws may have on them, and a relative error that is harmless.
constant_runs = st.tuples(st.integers(0, 300), st.floats(-8, 0).map(lambda power: 10.0**power))
stairs = st.lists(st.tuples(st.floats(1e-6, 2.0), st.integers(1, 40)), min_size=1, max_size=12)
staircase_runs = st.builds(staircase_run, stairs, st.integers(0, 30))
single_steps = st.lists(st.tuples(st.floats(1e-6, 2.0), st.just(1)), min_size=1, max_size=40)
sequence_runs = st.builds(staircase_run, single_steps, st.integers(0, 3))
every_run = pytest.mark.parametrize(
    ("runs", "atol"),
    [(constant_runs, 1e-290), (staircase_runs, 1e-12), (sequence_runs, 1e-12)],
    ids=["constant", "stairs", "sequence"],
)


# Law: a scheme is abstract or final, immutable, and has examples of its own class.
@every_class
def test_class_is_final_and_frozen(cls: type[Scheme]) -> None:
    check_scheme_class(cls)
    assert inspect.isabstract(Scheme)
    for scheme in cls.examples():
        with pytest.raises(dataclasses.FrozenInstanceError):
            scheme.alpha = 1.0  # type: ignore[attr-defined]  # must fail


# Law: equal parameters make equal schemes, with equal hashes, and the repr evaluates to the scheme.
@every_scheme
def test_compared_by_value(scheme: Scheme) -> None:
    copy = eval(repr(scheme), dict(EXPORTS))
    assert copy == scheme
    assert hash(copy) == hash(scheme)
    assert repr(copy) == repr(scheme)
    assert [other for other in EXAMPLES if other == scheme] == [scheme]
    assert all(type(getattr(scheme, field.name)) in (int, float) for field in dataclasses.fields(scheme))


# Law: the weights are 0 or more and sum to 1.
@every_scheme
@every_run
@seeded
@given(data=st.data())
def test_weights_are_a_distribution(
    scheme: Scheme, runs: st.SearchStrategy[Any], atol: float, data: st.DataObject
) -> None:
    check_weights(scheme, *data.draw(runs))


# Law: S is 1 at 0, does not increase (to rounding), is 0 beyond the run, and S(j) = sum_{t >= j} p_t.
@every_scheme
@every_run
@seeded
@given(data=st.data())
def test_survival(scheme: Scheme, runs: st.SearchStrategy[Any], atol: float, data: st.DataObject) -> None:
    n_steps, step = data.draw(runs)
    check_survival(scheme, n_steps, step, atol=atol)


# Law: the survival-weighted sum of increments is the weighted mean of the iterates.
@every_scheme
@any_step
@pytest.mark.parametrize("n_steps", [0, 1, 50])
def test_increments_average_the_iterates(scheme: Scheme, step: float | Staircase, n_steps: int) -> None:
    check_average(scheme, n_steps, step)


# Law: stairs of one size are a constant step.
@every_scheme
@pytest.mark.parametrize("n_steps", [0, 1, 7, 100])
def test_equal_stairs(scheme: Scheme, n_steps: int) -> None:
    stairs, j = Staircase((0.2, 0.2, 0.2), (3, 50)), np.arange(n_steps + 2)
    survival = scheme.survival(j, n_steps, 0.2)
    np.testing.assert_allclose(scheme.survival(j, n_steps, stairs), survival, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(scheme.weights(n_steps, stairs), scheme.weights(n_steps, 0.2), rtol=1e-12, atol=1e-290)
    places = np.linspace(0, 2 * n_steps + 64, 300)
    expected = scheme.continued_survival(places, n_steps, 0.2)
    np.testing.assert_allclose(scheme.continued_survival(places, n_steps, stairs), expected, rtol=1e-9, atol=1e-9)


# Law: the sizes of stairs that a run does not reach do not matter to it, but to Poisson, which counts in the last size.
@pytest.mark.parametrize("scheme", [scheme for scheme in EXAMPLES if not isinstance(scheme, Poisson)], ids=repr)
@pytest.mark.parametrize("n_steps", [0, 1, 7, 18])
def test_stairs_beyond_the_run(scheme: Scheme, n_steps: int) -> None:
    other, j = Staircase((0.05, 0.3, 0.7), (4, 20)), np.arange(n_steps + 2)
    np.testing.assert_allclose(scheme.survival(j, n_steps, STAIRS), scheme.survival(j, n_steps, other), rtol=1e-12)
    np.testing.assert_allclose(scheme.weights(n_steps, STAIRS), scheme.weights(n_steps, other), rtol=1e-12)


# Law: the continuation is the survival function at the steps, and finite between and beyond them.
@every_scheme
@every_run
@seeded
@given(data=st.data())
def test_continuation(scheme: Scheme, runs: st.SearchStrategy[Any], atol: float, data: st.DataObject) -> None:
    n_steps, step = data.draw(runs)
    check_continuation(scheme, n_steps, step, atol=atol)


# Law: shapes are kept, a scalar gives a scalar array, and nothing gives nothing.
@every_scheme
@any_step
def test_shapes(scheme: Scheme, step: float | Staircase) -> None:
    check_scheme_shapes(scheme, step)


# Law: a run of 1e12 steps costs no more than the places asked for.
@every_scheme
@pytest.mark.parametrize(
    ("step", "atol"),
    [(1e-6, 0.0), (Staircase((1e-9, 2e-8, 1e-6), (1000, 10**9)), 1e-12), (Staircase((1e-2, 1e-6), (10**6,)), 1e-12)],
    ids=["constant", "growing", "falling"],
)
def test_long_run(scheme: Scheme, step: float | Staircase, atol: float) -> None:
    n_steps = 10**12
    j = np.unique(np.geomspace(1, n_steps, 1000).astype(np.int64))
    survival = scheme.survival(j, n_steps, step)
    assert np.all((survival >= 0) & (survival <= 1))
    assert np.all(np.diff(survival) <= 1e-13 * survival[1:] + atol)
    assert scheme.survival(n_steps + 1, n_steps, step) == 0
    assert np.all(np.isfinite(scheme.continued_survival(np.geomspace(1, 2.0 * n_steps + 64, 1000), n_steps, step)))
    draws = scheme.sample(n_steps, step, np.random.default_rng(0), size=5)
    assert np.all((draws >= 0) & (draws <= n_steps))


# Law: G is the largest j with U < S(j), U the uniform number of the same generator.
@every_scheme
@any_step
@pytest.mark.parametrize("n_steps", [0, 1, 2, 7, 64, 100])
def test_sample_inverts_survival(scheme: Scheme, step: float | Staircase, n_steps: int) -> None:
    check_sampling(scheme, n_steps, step)


# Law: the share of draws that reach j is S(j), within five standard deviations.
@every_scheme
@any_step
def test_sample_follows_the_law(scheme: Scheme, step: float | Staircase) -> None:
    n_steps, size = 40, 20_000
    draws = scheme.sample(n_steps, step, np.random.default_rng(11), size=size)
    j = np.arange(n_steps + 1)
    survival = scheme.survival(j, n_steps, step)
    share = (draws[:, None] >= j).mean(axis=0)
    assert np.all(np.abs(share - survival) <= 5 * np.sqrt(survival * (1 - survival) / size) + 1e-3)
    one = scheme.sample(n_steps, step, np.random.default_rng(11))
    assert isinstance(one, np.int64)
    assert one == draws[0]


# Law: snapping moves a kink to an edge and nothing else.
@every_scheme
@any_step
def test_snapped(scheme: Scheme, step: float | Staircase) -> None:
    edges = np.array([0, 7, 20, 64, 100])
    snapped = scheme.snapped(edges, 100, step)
    assert type(snapped) is type(scheme)
    assert snapped.snapped(edges, 100, step) is snapped
    if snapped is not scheme:
        assert edges[np.argmax(snapped.weights(100, step) > 0) == edges].size == 1


# Law: what is not a run is refused, by type or by value, with what was expected.
@every_scheme
@pytest.mark.parametrize(
    ("n_steps", "step", "error", "message"),
    [
        (-1, 0.1, ValueError, r"n_steps=-1 is negative: the number of steps must be 0 or more"),
        (2**53 + 1, 0.1, ValueError, r"n_steps=9007199254740993 is too large"),
        (10.0, 0.1, TypeError, r"n_steps=10.0 is a float: the number of steps must be an int"),
        (True, 0.1, TypeError, r"n_steps=True is a bool"),
        (None, 0.1, TypeError, r"n_steps=None is a NoneType"),
        ("9", 0.1, TypeError, r"n_steps='9' is a str"),
        (10, 0.0, ValueError, r"step=0.0 is not positive: the step size must be a finite number above 0"),
        (10, -0.1, ValueError, r"step=-0.1 is not positive"),
        (10, float("nan"), ValueError, r"step=nan is not finite"),
        (10, float("inf"), ValueError, r"step=inf is not finite"),
        (10, None, TypeError, r"step=None is a NoneType"),
        (10, "auto", TypeError, r"step='auto' is a str"),
        (10, True, TypeError, r"step=True is a bool"),
        (10, 1j, TypeError, r"step=1j is a complex"),
    ],
)
def test_bad_runs(scheme: Scheme, n_steps: int, step: float, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        scheme.weights(n_steps, step)
    with pytest.raises(error, match=message):
        scheme.survival([1], n_steps, step)
    with pytest.raises(error, match=message):
        scheme.continued_survival([1.0], n_steps, step)
    with pytest.raises(error, match=message):
        scheme.sample(n_steps, step, np.random.default_rng(0))


# Law: step indices are whole and not negative; a generator is a generator.
@every_scheme
def test_bad_indices(scheme: Scheme) -> None:
    with pytest.raises(ValueError, match=r"j has the minimum -1: step indices must be 0 or more"):
        scheme.survival([0, -1], 10, 0.1)
    with pytest.raises(TypeError, match=r"j has dtype float64: step indices must be integers; continued_survival"):
        scheme.survival([0.5], 10, 0.1)
    with pytest.raises(ValueError, match=r"j has the minimum -0.5"):
        scheme.continued_survival([-0.5], 10, 0.1)
    with pytest.raises(ValueError, match=r"j has the minimum nan"):
        scheme.continued_survival([float("nan")], 10, 0.1)
    with pytest.raises(TypeError, match=r"rng=0 is a int: .* numpy.random.default_rng\(seed\)"):
        scheme.sample(10, 0.1, 0)  # type: ignore[call-overload]  # must fail


# Law: numpy scalars are numbers like any other.
@every_scheme
def test_numpy_scalars(scheme: Scheme) -> None:
    expected = scheme.weights(10, 0.5)
    np.testing.assert_array_equal(scheme.weights(np.int32(10), np.float32(0.5)), expected)  # type: ignore[arg-type]  # NumPy's


# Law: a scheme that is exported can be stored in a model file, and comes back from there.
@pytest.mark.parametrize("kind", CLASSES)
def test_state(kind: type[Scheme]) -> None:
    for scheme in kind.examples():
        assert scheme_of(Stored(scheme.state())) == scheme
