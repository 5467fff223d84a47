"""Files: what learning adds to reading and encoding the same batches, and what encoding takes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import ridgeway as rw
from benchmarks.report import Case, Result
from benchmarks.tables import LEVELS, MANY_LEVELS, write
from benchmarks.timing import interleave
from ridgeway.data import Source, encoded_batches, open_data

REPEATS = 3


def cases(quick: bool = False) -> Iterator[Case]:
    """Time one pass over a CSV file and over the same rows as Parquet; STREAM_MB sets the size of the CSV file.

    A category of 4,000 levels, in the last case, makes rows sparse. The time of a row grows without end, which is the
    hard case for SGD: nearly all rows are larger than those of the first batch. The limit for files with 100 columns is
    in `benchmarks.large_file`.
    """
    megabytes = float(os.environ.get("STREAM_MB", "30" if quick else "300"))
    with tempfile.TemporaryDirectory() as folder:
        for name, path in write(Path(folder), megabytes).items():
            yield _file(name, open_data(path))
        wide = write(Path(folder), megabytes / 4, LEVELS | MANY_LEVELS)["Parquet"]
        yield _file("Parquet", open_data(wide))


def _file(name: str, source: Source) -> Case:
    encoder = rw.TableEncoder().fit(source, leave_out=["y"])
    rows = _encode(source, encoder)
    tasks: dict[str, Callable[[], object]] = {
        "read": partial(_read, source),
        "read and encode": partial(_encode, source, encoder),
        "learn by Gram matrices": lambda: _learn(source, encoder, rw.RidgePathCV(solver="gram")),
        "learn by SGD": lambda: _learn(source, encoder, rw.AveragedSGDRegressor()),
    }
    timings = interleave(tasks, REPEATS)
    encoding, exact, sgd = (timings[name] for name in list(tasks)[1:])
    results = [
        Result("with learning by Gram matrices / without learning", exact.over(encoding)),
        Result("with learning by SGD / without learning", sgd.over(encoding)),
        Result("reading, million rows a second", rows / timings["read"].best / 1e6),
        Result("reading and encoding, million rows a second", rows / encoding.best / 1e6),
        Result("with learning by Gram matrices, million rows a second", rows / exact.best / 1e6),
        Result("with learning by SGD, million rows a second", rows / sgd.best / 1e6),
    ]
    return Case(f"{name} {rows:,} x {encoder.n_features_out_}", results, timings)


def _read(source: Source) -> int:
    return sum(batch.num_rows for batch in source.batches())


def _encode(source: Source, encoder: rw.TableEncoder) -> int:
    return sum(batch.X.shape[0] for batch in encoded_batches(source, encoder, "y"))


def _learn(source: Source, encoder: rw.TableEncoder, model: rw.RidgePathCV | rw.AveragedSGDRegressor) -> None:
    for batch in encoded_batches(source, encoder, "y"):
        model.partial_fit(batch.X, batch.y)
