"""Write samples: one small model file of every kind that the running version can write, with its predictions.

Usage, from the project's root, before a version is released::

    python -m scripts.make_samples [FOLDER]

FOLDER is ``tests/storage/samples/v0.1`` for version 0.1, and so on. It must not exist: the samples of a released
version never change. Those of a version that is not yet released are removed and written anew when its numbers change.
``tests/storage/test_samples.py`` reads the samples of every version. Everything is seeded.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import scipy.sparse
from sklearn.datasets import dump_svmlight_file
from tests.storage.sample import ANSWERS, FOLDER, MODEL, Batch, write_sample

import ridgeway as rw
from ridgeway.cli.commands import run
from ridgeway.tables import Checkpoint, Request, fit_table

COLUMNS, PREDICTED_ROWS, FURTHER_ROWS = 3, 8, 24
ODD_ROWS = 101  # rows after which a stream stands between the two steps of a pair, and within a block of its sketch
Options = dict[str, Any]


def problem(n: int, dtype: Any = np.float64, targets: int | None = None, seed: int = 0) -> Batch:
    """Rows of a linear model with noise, columns of different scales."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, COLUMNS)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 1.0]
    shape = (COLUMNS,) if targets is None else (COLUMNS, targets)
    y = X @ np.random.default_rng(1).standard_normal(shape) + 2.0 + 0.5 * rng.standard_normal((n, *shape[1:]))
    return Batch(X.astype(dtype), y.astype(dtype))


def sparse_problem(n: int, dtype: Any = np.float64, targets: int | None = None, seed: int = 0) -> Batch:
    """CSR rows of a linear model with noise."""
    rng = np.random.default_rng(seed)
    X: Any = scipy.sparse.random(n, 8, density=0.3, random_state=rng, format="csr")
    shape = (8,) if targets is None else (8, targets)
    y = X @ np.random.default_rng(1).standard_normal(shape) + 0.1 * rng.standard_normal((n, *shape[1:]))
    return Batch(X.astype(dtype), y.astype(dtype))


def weighted(batch: Batch) -> Batch:
    """Return the rows with weights, some of them 0."""
    return batch._replace(weights=np.random.default_rng(2).choice([0.0, 0.5, 1.0, 3.0], len(batch.targets)))


def with_outliers(batch: Batch) -> Batch:
    """Return rows of which a few are outliers, whose steps are clipped."""
    X = np.array(batch.rows)
    X[::17] *= 50
    return batch._replace(rows=X)


def sgd(**options: Any) -> Any:
    """Return an estimator with a seed."""
    return rw.AveragedSGDRegressor(random_state=0, **options)


def rows_like(make: Callable[..., Batch]) -> Any:
    """Return rows to predict, in float64 for every model: predictions are then exact to 1e-15."""
    return make(PREDICTED_ROWS, seed=7).rows


# Name: parameters, rows, and whether partial_fit goes on from such a fit.
FITS: dict[str, tuple[Options, Batch, bool]] = {
    "folds": ({"passes": 2}, problem(100), True),
    "float32": ({"passes": 2, "alpha": 0.1}, problem(100, np.float32), True),
    "weights": ({"passes": 2, "alpha": 0.1}, weighted(problem(100)), True),
    "tail-chosen": ({"passes": 2, "averaging": "tail", "cv": 3}, problem(100), True),
    "hold-out": ({"passes": 1, "cv": "holdout", "averaging": "geometric"}, problem(60), True),
    "progressive": ({"passes": 1, "cv": "progressive"}, problem(100), True),
    "gcv": ({"passes": 1, "cv": "gcv"}, problem(80), False),
    "alpha-given": ({"passes": 2, "averaging": "geometric", "alpha": 0.1}, problem(100), True),
    "tail-given": ({"passes": 2, "averaging": rw.Tail(0.5)}, problem(100), True),
    "uniform": ({"passes": 1, "averaging": "uniform"}, problem(60), True),
    "last": ({"passes": 1, "averaging": rw.Last()}, problem(60), True),
    "negative-binomial": ({"passes": 1, "averaging": rw.NegativeBinomial(0.1, 2)}, problem(60), True),
    "poisson": ({"passes": 1, "averaging": rw.Poisson(20.0)}, problem(60), True),
    "exponential": ({"passes": 1, "averaging": rw.Exponential(0.99)}, problem(60), True),
    "layout": ({"passes": 1, "averaging": "uniform", "store": rw.Layout(2, 5)}, problem(60), True),
    "chains": ({"passes": 1, "averaging": "geometric", "alpha": 0.1, "chains": 3}, problem(90), False),
    "mini-batches": ({"passes": 2, "alpha": 0.1, "batch_size": 7}, problem(100), True),
    "replay": ({"passes": 1, "alpha": 0.1, "store": "replay"}, problem(60), False),
    "replay-chains": ({"passes": 1, "alpha": 0.1, "store": "replay", "chains": 2}, problem(60), False),
    "step-given": ({"passes": 1, "alpha": 0.1, "step": 0.05}, problem(60), True),
    "step-limited": ({"passes": 1, "alpha": 0.1, "step": rw.LimitedStep(0.05, 0.5)}, with_outliers(problem(60)), True),
    "outliers": ({"passes": 2, "cv": 3, "averaging": "tail"}, with_outliers(problem(100)), True),
    "targets": ({"passes": 1, "alpha": 0.1}, problem(60, targets=2), True),
    "one-column-of-targets": ({"passes": 1, "alpha": 0.1}, problem(60, targets=1), True),
    "no-scale-no-intercept": ({"passes": 1, "alpha": 0.1, "scale": False, "fit_intercept": False}, problem(60), True),
    "no-intercept": ({"passes": 1, "alpha": 0.1, "fit_intercept": False}, problem(60), True),
    "one-row": ({"passes": 1}, problem(1), True),
    "csr": ({"passes": 1, "alpha": 0.1}, sparse_problem(60), True),
    "csr-float32": ({"passes": 1, "alpha": 0.1}, sparse_problem(60, np.float32), True),
    "csr-targets": ({"passes": 1, "alpha": 0.1, "batch_size": 4}, sparse_problem(60, targets=2), True),
}

# Name: parameters, and batches of a stream. Samples of streams go on from a state between two batches.
STREAMS: dict[str, tuple[Options, list[Batch]]] = {
    "stream-first-steps": ({}, [problem(9)]),
    "stream": ({"averaging": "geometric"}, [problem(64), problem(150 + ODD_ROWS, seed=3)]),
    "stream-chunks": ({"alpha": 0.1}, [problem(2500 + ODD_ROWS)]),
    "stream-even": ({"averaging": "geometric"}, [problem(ODD_ROWS + 1)]),
    "stream-float32": ({"alpha": 0.1}, [problem(2500 + ODD_ROWS, np.float32)]),
    "stream-mini-batches": ({"batch_size": 7, "averaging": "geometric"}, [problem(95)]),
    "stream-weights": ({"averaging": "geometric"}, [weighted(problem(ODD_ROWS))]),
    "stream-alpha-given": ({"alpha": 0.1}, [problem(ODD_ROWS)]),
    "stream-tail": ({"averaging": "tail"}, [problem(ODD_ROWS)]),
    "stream-step-limited": ({"alpha": 0.1, "step": rw.LimitedStep(0.05, 0.5)}, [with_outliers(problem(ODD_ROWS))]),
    "stream-no-intercept": ({"alpha": 0.1, "fit_intercept": False}, [problem(ODD_ROWS)]),
    "stream-targets": ({"averaging": "geometric"}, [problem(ODD_ROWS, targets=2)]),
    "stream-csr": ({"averaging": "geometric"}, [sparse_problem(ODD_ROWS)]),
    "stream-csr-float32": ({"alpha": 0.1}, [sparse_problem(ODD_ROWS, np.float32)]),
    "stream-csr-mini-batches": ({"alpha": 0.1, "batch_size": 7}, [sparse_problem(95)]),
}

EXACT: dict[str, tuple[Options, Batch]] = {
    "exact": ({"alpha": 0.3}, problem(60)),
    "exact-float32": ({}, problem(60, np.float32)),
    "exact-weights": ({}, weighted(problem(60))),
    "exact-targets": ({"scale": False}, problem(60, targets=2)),
    "exact-csr": ({"fit_intercept": False}, sparse_problem(60)),
}

# Name: parameters and rows. Gram matrices go on with further batches.
PATHS: dict[str, tuple[Options, Batch]] = {
    "path-gram": ({"solver": "gram", "cv": 5}, problem(100)),
    "path-gram-alpha": ({"solver": "gram", "alpha": 0.1}, problem(60)),
    "path-gram-float32": ({"solver": "gram", "cv": 3}, problem(60, np.float32)),
    "path-gram-weights": ({"solver": "gram", "cv": 3}, weighted(problem(100))),
    "path-gram-targets": ({"solver": "gram", "cv": 3}, problem(60, targets=2)),
    "path-gram-csr": ({"solver": "gram", "cv": 3}, sparse_problem(60)),
    "path-gram-averages": ({"solver": "gram", "cv": 3, "averaging": "auto"}, problem(60)),
    "path-loo": ({"solver": "gram", "cv": "loo", "one_standard_error": True}, problem(60)),
    "path-krylov": ({"solver": "krylov", "cv": 3}, problem(60)),
    "path-krylov-csr": ({"solver": "krylov", "cv": 3}, sparse_problem(60)),
}

KERNELS: dict[str, tuple[Options, Batch]] = {
    "kernel-rbf": ({"passes": 4, "averaging": "geometric"}, problem(30)),
    "kernel-float32": ({"alpha": 0.01, "passes": 4}, problem(30, np.float32)),
    "kernel-plain": ({"alpha": 0.1, "passes": 3}, problem(30)),
    "kernel-krylov": ({"solver": "krylov"}, problem(30)),
    "kernel-laplacian": (
        {"kernel": "laplacian", "gamma": 0.2, "alpha": 0.01},
        problem(30),
    ),
    "kernel-polynomial": (
        {"kernel": "polynomial", "degree": 2, "alpha": 0.01},
        problem(30),
    ),
    "kernel-targets": ({"alpha": 0.01}, problem(30, targets=2)),
    "kernel-csr": ({"alpha": 0.01}, sparse_problem(30)),
    "kernel-fourier": ({"n_components": 6, "passes": 1, "alpha": 0.01}, problem(60)),
    "kernel-nystroem": ({"n_components": 6, "features": "nystroem", "passes": 1, "alpha": 0.01}, problem(60)),
}


def write_arrays(folder: Path) -> None:
    """Write models of arrays."""
    for name, (options, rows, goes_on) in FITS.items():
        make = sparse_problem if scipy.sparse.issparse(rows.rows) else problem
        model = sgd(**options).fit(*rows)
        write_sample(folder / name, model, rows_like(make), further(rows) if goes_on else None)
    for name, (options, batches) in STREAMS.items():
        model = sgd(**options)
        for batch in batches:
            model.partial_fit(*batch)
        make = sparse_problem if scipy.sparse.issparse(batches[0].rows) else problem
        write_sample(folder / name, model, rows_like(make), further(batches[0]))
    for name, (options, rows) in EXACT.items():
        make = sparse_problem if scipy.sparse.issparse(rows.rows) else problem
        write_sample(folder / name, rw.ExactRidgePath(**options).fit(*rows), rows_like(make), further(rows), ())


def write_paths(folder: Path) -> None:
    """Write models of the exact engines."""
    for name, (options, rows) in PATHS.items():
        make = sparse_problem if scipy.sparse.issparse(rows.rows) else problem
        model = rw.RidgePathCV(random_state=0, **options).fit(*rows)
        goes_on = further(rows) if options["solver"] == "gram" and options.get("cv") != "loo" else None
        write_sample(folder / name, model, rows_like(make), goes_on, ())


def write_kernels(folder: Path) -> None:
    """Write kernel models; those with components can be continued."""
    for name, (options, rows) in KERNELS.items():
        make = sparse_problem if scipy.sparse.issparse(rows.rows) else problem
        model = rw.AveragedKernelRegressor(random_state=0, **options).fit(*rows)
        goes_on = "n_components" in options
        averages = ("uniform", "last") if goes_on else ()
        write_sample(folder / name, model, rows_like(make), further(rows) if goes_on else None, averages)
    begun = rw.AveragedKernelRegressor(n_components=6, random_state=0, averaging="geometric").partial_fit(
        *problem(ODD_ROWS)
    )
    write_sample(folder / "kernel-stream", begun, rows_like(problem), further(problem(1)))
    X, y, _ = problem(30)
    new = rows_like(problem)
    given = rw.AveragedKernelRegressor(kernel="precomputed", alpha=0.01, random_state=0)
    write_sample(folder / "kernel-precomputed", given.fit(_gaussian(X, X), y), _gaussian(new, X), None, ())


def further(like: Batch) -> Batch:
    """Return a further batch of the same form."""
    targets = np.shape(like.targets)[1] if np.ndim(like.targets) == 2 else None
    make = sparse_problem if scipy.sparse.issparse(like.rows) else problem
    batch = make(FURTHER_ROWS, dtype=like.rows.dtype, targets=targets, seed=5)
    return batch if like.weights is None else weighted(batch)


def _gaussian(X: Any, Z: Any) -> Any:
    return np.exp(-0.05 * ((X[:, None] - Z[None]) ** 2).sum(axis=2))


def shop_table(n: int = 100, seed: int = 0) -> Any:
    """Return a table with columns of several kinds and prices above 0."""
    rng = np.random.default_rng(seed)
    size, shop = rng.uniform(1, 3, n).round(3), rng.choice(["north", "east", "south"], n)
    day = np.datetime64("2020-01-01") + rng.integers(0, 700, n)
    price = np.exp(size / 2 + 0.4 * (shop == "east") + 0.2 * rng.standard_normal(n)).round(3)
    columns = {"shop": shop, "day": day, "used": rng.random(n) < 0.5, "weight": rng.choice([0.0, 1.0, 2.0], n)}
    missing = pa.array(np.where(rng.random(n) < 0.05, np.nan, size), from_pandas=True)
    return pa.table({"size": missing, **columns, "price": price})


# Name: options of the command line.
COMMANDS: dict[str, list[str]] = {
    "table": ["--passes", "1", "--alpha", "0.1"],
    "table-streamed": ["--memory", "0", "--averaging", "tail", "--drop", "day"],
    "table-weights": ["--weight", "weight", "--drop", "day", "--alpha", "0.1", "--passes", "1"],
    "table-logarithm": ["--log-target", "--only", "size", "--only", "shop", "--alpha", "0.01", "--passes", "1"],
    "table-gram": ["--solver", "gram"],
    "table-krylov": ["--solver", "krylov", "--log-target"],
    "table-components": ["--kernel", "rbf", "--components", "6", "--passes", "1", "--alpha", "0.01"],
}


def write_tables(folder: Path) -> None:
    """Write models of tables, by the command line if it can make them."""
    rows = folder / "table.csv"
    pyarrow.csv.write_csv(shop_table(PREDICTED_ROWS, seed=7), rows)
    with working_folder():
        pyarrow.csv.write_csv(shop_table(), "shop.csv")
        pyarrow.csv.write_csv(shop_table(30), "few.csv")
        for name, options in COMMANDS.items():
            command("fit", "shop.csv", "--target", "price", "--model", "model", *options)
            write_sample(folder / name, rw.load("model"), rows)
        command(
            "fit",
            "few.csv",
            "--target",
            "price",
            "--model",
            "model",
            "--kernel",
            "rbf",
            "--alpha",
            "0.01",
            "--passes",
            "2",
        )
        write_sample(folder / "table-kernel", rw.load("model"), rows, None, ())
        X, y, _ = sparse_problem(60)
        dump_svmlight_file(X, y, "rows.svm", zero_based=False)
        command("fit", "rows.svm", "--model", "model", "--passes", "1", "--alpha", "0.1")
        dump_svmlight_file(X[:PREDICTED_ROWS], y[:PREDICTED_ROWS], str(folder / "sparse.svm"), zero_based=False)
        write_sample(folder / "table-libsvm", rw.load("model"), folder / "sparse.svm")
        model = fit_on_serial_cluster("shop.csv", Request(target="price", passes=1, alpha=0.1, drop=("day",)))
        write_sample(folder / "table-cluster", model, rows)


def write_checkpoints(folder: Path) -> None:
    """Write the checkpoint of a fit in its second pass, the final model of that fit, and the table."""
    folder.mkdir()
    table = shop_table(ODD_ROWS)
    pyarrow.csv.write_csv(table, folder / "learned.csv")
    pyarrow.csv.write_csv(shop_table(PREDICTED_ROWS, seed=7), folder / "table.csv")
    request = Request(target="price", passes=3, alpha=0.1)
    state = Checkpoint(folder / "state", every=2 * ODD_ROWS)  # written once, after two of three passes
    model = fit_table(pyarrow.csv.read_csv(folder / "learned.csv"), request, memory=0, checkpoint=state)
    write_sample(folder / "checkpoint", model, folder / "table.csv")
    (folder / "state").replace(folder / f"checkpoint{MODEL}")


def write_cluster_checkpoint(folder: Path) -> None:
    """Write the checkpoint of a fit by partitions that was interrupted in its first pass, and its final model."""
    rows = problem(ODD_ROWS)
    model = fit_by_partitions(rows)
    write_sample(folder / "cluster", model, rows_like(problem))
    np.savez_compressed(folder / f"learned{ANSWERS}", rows=rows.rows, targets=rows.targets)
    (folder / f"cluster{MODEL}").unlink()
    with suppress(KeyboardInterrupt):
        fit_by_partitions(rows._replace(rows=Interrupted(rows.rows, reads=14)), folder / f"cluster{MODEL}")


class Interrupted:
    """An array that raises KeyboardInterrupt when it is read more often than a given number of times."""

    def __init__(self, array: Any, reads: int) -> None:
        self.array, self.shape, self.dtype, self.ndim, self.reads = array, array.shape, array.dtype, array.ndim, reads

    def __getitem__(self, part: Any) -> Any:
        self.reads -= 1
        if self.reads < 0:
            raise KeyboardInterrupt
        return self.array[part]


def fit_by_partitions(batch: Batch, checkpoint: Path | None = None) -> Any:
    """Fit four partitions whose names do not depend on the type of the array."""
    import dask.array as da  # noqa: PLC0415

    estimator = sgd(passes=2, alpha=0.1)
    chunk = ODD_ROWS // 4 + 1
    X = da.from_array(batch.rows, chunks=(chunk, COLUMNS), name="rows")
    y = da.from_array(batch.targets, chunks=chunk, name="targets")
    return rw.dask.fit(estimator, (X, y), client="serial", checkpoint=checkpoint, checkpoint_every=0.0)


def fit_on_serial_cluster(data: str, request: Request) -> Any:
    """Fit as on a cluster, in this process."""
    from ridgeway.dask.serial import Serial  # noqa: PLC0415, needs dask
    from ridgeway.tables.distributed import fit_table_on  # noqa: PLC0415

    return fit_table_on(Serial(), data, request)


def command(*arguments: str) -> None:
    """Call the command line, which must succeed."""
    if run(["--quiet", *arguments]) != 0:
        raise RuntimeError(f"ridgeway {' '.join(arguments)} failed.")


@contextmanager
def working_folder() -> Iterator[None]:
    """Change to a folder within a block, so that model files name their data without a path."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        try:
            yield
        finally:
            os.chdir(before)


def main(folder: Path) -> None:
    """Write all samples to a new folder."""
    folder.mkdir(parents=True)
    folder = folder.resolve()
    warnings.simplefilter("ignore")
    write_arrays(folder)
    write_paths(folder)
    write_kernels(folder)
    write_tables(folder)
    write_checkpoints(folder / "checkpoints")
    write_cluster_checkpoint(folder / "checkpoints")
    files = [file for file in folder.rglob("*") if file.is_file()]
    print(f"{folder}: {len(files)} files, {sum(file.stat().st_size for file in files):,} bytes")


if __name__ == "__main__":
    default = FOLDER / ("v" + ".".join(rw.__version__.split(".")[:2]))
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
