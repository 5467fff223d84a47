"""Lanes: numbers that go through a kernel side by side, 32 bytes of them.

A kernel that sums in lanes says itself in which order numbers are added, instead of leaving that to the compiler. Rows
of any width take the same vector instructions, the last columns too, and the compiler need not look, row by row,
whether the arrays that it reads and writes overlap: a step over 100 columns takes two thirds of the time of the plain
loop.

    total = zeros
    for at in range(0, whole, count):
        total = total + lanes(x, at, None) * lanes(w, at, None)
    product = lane_sum(total + lanes(x, whole, rest) * lanes(w, whole, rest))

Lanes know + and *. Products that are added are fused where the processor can. As plain Python (without the compiler)
lanes are small arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic, lower_builtin, models, register_model, type_callable
from numpy.typing import NDArray

from ridgeway.prefetch import AS_PYTHON

F = TypeVar("F", bound=Callable[..., Any])
LANES = 32  # bytes: rows that do not begin on a cache line are read faster so than by 64
FUSED = ("contract",)
NUMBER = ir.IntType(32)


class Lanes(numba.types.Type):
    """So many numbers of one type."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.count = LANES * 8 // dtype.bitwidth
        super().__init__(name=f"Lanes({dtype})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes_type: Lanes) -> None:
        element = manager.lookup(lanes_type.dtype).get_value_type()
        vector = ir.VectorType(element, lanes_type.count)
        super().__init__(manager, lanes_type, vector)  # type: ignore[no-untyped-call]  # numba has no types


def _both_lanes(_: Any) -> Callable[[Any, Any], Any]:
    return lambda a, b: a if isinstance(a, Lanes) and a == b else None


def _lower(operation: str) -> Callable[..., Any]:
    return lambda _, builder, __, arguments: getattr(builder, operation)(*arguments, flags=FUSED)


for _operator, _operation in ((operator.add, "fadd"), (operator.mul, "fmul")):
    type_callable(_operator)(_both_lanes)
    lower_builtin(_operator, Lanes, Lanes)(_lower(_operation))  # type: ignore[no-untyped-call]  # as above


def _or_python(python: F) -> Callable[[Callable[..., Any]], F]:
    """Make an intrinsic of what writes the code of a function; as plain Python, take the function itself."""
    return lambda written: cast("F", python if AS_PYTHON else intrinsic(written))


def _lane_count(values: NDArray[Any]) -> int:
    return LANES // values.itemsize


@_or_python(_lane_count)
def lane_count(_: Any, values: Any) -> Any:
    """Return how many numbers of an array go side by side; to the compiler that is a constant."""

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        return context.get_constant(numba.intp, Lanes(values.dtype).count)

    return numba.intp(values), generate


def _lanes(values: NDArray[Any], at: int, rest: int | None) -> NDArray[Any]:
    found = np.zeros(LANES // values.itemsize, values.dtype)
    size = len(found) if rest is None else rest
    found[:size] = values.reshape(-1)[at : at + size]
    return found


@_or_python(_lanes)
def lanes(_: Any, values: Any, at: Any, rest: Any) -> Any:
    """Read lanes from place `at` of an array, of all its numbers in a row: all lanes, or so many as there are left.

    Lanes beyond those are 0. Whether there are so many numbers is not looked at.
    """
    result = Lanes(values.dtype)

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        array = context.make_array(values)(context, builder, arguments[0])
        vector, size = context.get_value_type(result), values.dtype.bitwidth // 8
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), vector.as_pointer())
        if rest is numba.none:
            value = builder.load(place)
            value.align = size
            return value
        mask, zeros = _first_lanes(builder, vector.count, arguments[2]), ir.Constant(vector, [0.0] * vector.count)
        return builder.call(_masked_load(builder, vector), (place, NUMBER(size), mask, zeros))

    return result(values, numba.intp, rest), generate


def _set_lanes(values: NDArray[Any], at: int, new: NDArray[Any]) -> None:
    values.reshape(-1)[at : at + len(new)] = new


@_or_python(_set_lanes)
def set_lanes(_: Any, values: Any, at: Any, new: Any) -> Any:
    """Write lanes, all of them, to place `at` of an array, as `lanes` reads them."""

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        array = context.make_array(values)(context, builder, arguments[0])
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), arguments[2].type.as_pointer())
        builder.store(arguments[2], place).align = values.dtype.bitwidth // 8
        return context.get_dummy_value()

    return numba.void(values, numba.intp, new), generate


def _spread(number: Any) -> NDArray[Any]:
    return np.full(LANES // number.itemsize, number)


@_or_python(_spread)
def spread(_: Any, number: Any) -> Any:
    """Put one number into all lanes."""
    result = Lanes(number)

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        return _repeat(builder, arguments[0], result.count)

    return result(number), generate


def _lane_sum(values: NDArray[Any]) -> Any:
    while len(values) > 1:
        values = values[: len(values) // 2] + values[len(values) // 2 :]
    return values[0]


@_or_python(_lane_sum)
def lane_sum(_: Any, values: Any) -> Any:
    """Add the lanes up, the halves of them to each other until one is left."""

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        (vector,), count = arguments, values.count
        while count > 1:
            count //= 2
            halves = (_select(builder, vector, range(start, start + count)) for start in (0, count))
            vector = builder.fadd(*halves, flags=FUSED)
        return builder.extract_element(vector, NUMBER(0))

    return values.dtype(values), generate


def _lane_sums(a: Any, b: Any, c: Any, d: Any) -> Any:
    return a.sum(), b.sum(), c.sum(), d.sum()


@_or_python(_lane_sums)
def lane_sums(_: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Add up the lanes of each of four, in half the instructions of four times `lane_sum`."""
    result = numba.types.UniTuple(a.dtype, 4)  # type: ignore[no-untyped-call]  # numba has no types
    near, far = _PAIRED[a.count]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        def joined(x: Any, y: Any, places: tuple[list[int], list[int]]) -> Any:
            halves = (builder.shuffle_vector(x, y, _numbers(half)) for half in places)
            return builder.fadd(*halves, flags=FUSED)

        first, second, third, fourth = arguments
        both = joined(first, second, near), joined(third, fourth, near)
        sums, count = joined(*both, far), a.count
        if count > 4:
            sums = builder.fadd(*(_select(builder, sums, range(start, start + 4)) for start in (0, 4)), flags=FUSED)
        return context.make_tuple(builder, result, [builder.extract_element(sums, NUMBER(i)) for i in range(4)])

    return result(a, b, c, d), generate


# For lanes of 8 and of 4: places of two vectors that are added to each other, so that sums of both lie side by side,
# within halves of a vector as far as possible, where they are moved at no cost.
_PAIRED = {
    8: (
        ([0, 8, 1, 9, 4, 12, 5, 13], [2, 10, 3, 11, 6, 14, 7, 15]),
        ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]),
    ),
    4: (([0, 4, 2, 6], [1, 5, 3, 7]), ([0, 1, 4, 5], [2, 3, 6, 7])),
}


def _masked_load(builder: Any, vector: Any) -> Any:
    """Return LLVM's function that reads some of the lanes; its name tells the types."""
    element = {ir.FloatType(): "f32", ir.DoubleType(): "f64"}[vector.element]
    name = f"llvm.masked.load.v{vector.count}{element}.p0v{vector.count}{element}"
    arguments = (vector.as_pointer(), NUMBER, ir.VectorType(ir.IntType(1), vector.count), vector)
    declared = builder.module.globals.get(name)
    return declared or ir.Function(builder.module, ir.FunctionType(vector, arguments), name)


def _first_lanes(builder: Any, count: int, rest: Any) -> Any:
    """Write code that marks the first so many lanes."""
    numbers = ir.Constant(ir.VectorType(NUMBER, count), list(range(count)))
    return builder.icmp_signed("<", numbers, _repeat(builder, builder.trunc(rest, NUMBER), count))


def _repeat(builder: Any, value: Any, count: int) -> Any:
    nothing = ir.Constant(ir.VectorType(value.type, count), ir.Undefined)
    return _select(builder, builder.insert_element(nothing, value, NUMBER(0)), [0] * count)


def _select(builder: Any, vector: Any, places: Any) -> Any:
    """Write code that takes lanes by their numbers."""
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), _numbers(list(places)))


def _numbers(places: list[int]) -> Any:
    return ir.Constant(ir.VectorType(NUMBER, len(places)), places)
