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
        load = _masked(builder, "load", vector, vector, (place.type, NUMBER, mask.type, vector))
        return builder.call(load, (place, NUMBER(size), mask, zeros))

    return result(values, numba.intp, rest), generate


def _set_lanes(values: NDArray[Any], at: int, rest: int | None, new: NDArray[Any]) -> None:
    size = len(new) if rest is None else rest
    values[at : at + size] = new[:size]


@_or_python(_set_lanes)
def set_lanes(_: Any, values: Any, at: Any, rest: Any, new: Any) -> Any:
    """Write lanes to values (d,), as `lanes` reads them."""

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        array = context.make_array(values)(context, builder, arguments[0])
        vector, size = arguments[3].type, values.dtype.bitwidth // 8
        place = builder.bitcast(builder.gep(array.data, [arguments[1]]), vector.as_pointer())
        if rest is numba.none:
            builder.store(arguments[3], place).align = size
        else:
            mask = _first_lanes(builder, vector.count, arguments[2])
            store = _masked(builder, "store", vector, ir.VoidType(), (vector, place.type, NUMBER, mask.type))
            builder.call(store, (arguments[3], place, NUMBER(size), mask))
        return context.get_dummy_value()

    return numba.void(values, numba.intp, rest, new), generate


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


def _masked(builder: Any, kind: str, vector: Any, result: Any, arguments: tuple[Any, ...]) -> Any:
    """Return LLVM's function that reads or writes some of the lanes; its name tells the types."""
    element = {ir.FloatType(): "f32", ir.DoubleType(): "f64"}[vector.element]
    name = f"llvm.masked.{kind}.v{vector.count}{element}.p0v{vector.count}{element}"
    declared = builder.module.globals.get(name)
    return declared or ir.Function(builder.module, ir.FunctionType(result, arguments), name)


def _first_lanes(builder: Any, count: int, rest: Any) -> Any:
    """Write code that marks the first so many lanes."""
    numbers = ir.Constant(ir.VectorType(NUMBER, count), list(range(count)))
    return builder.icmp_signed("<", numbers, _repeat(builder, builder.trunc(rest, NUMBER), count))


def _repeat(builder: Any, value: Any, count: int) -> Any:
    nothing = ir.Constant(ir.VectorType(value.type, count), ir.Undefined)
    return _select(builder, builder.insert_element(nothing, value, NUMBER(0)), [0] * count)


def _select(builder: Any, vector: Any, places: Any) -> Any:
    """Write code that takes lanes by their numbers."""
    numbers = ir.Constant(ir.VectorType(NUMBER, len(places)), list(places))
    return builder.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), numbers)
