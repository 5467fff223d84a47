"""`TableEncoder`: encode columns of any kind as features, the same for every batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from narwhals.dependencies import is_into_dataframe
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from ridgeway.atomic import atomic
from ridgeway.data.arrow import pa
from ridgeway.data.data_error import DataError
from ridgeway.data.description import ColumnDescription, TableDescription
from ridgeway.data.encoding import Options, TableEncoding
from ridgeway.data.encoding.category import CategoryEncoding
from ridgeway.data.encoding.encoding import MAX_LEVELS
from ridgeway.data.encoding.number import NumberEncoding
from ridgeway.data.encoding.table_learner import MIN_WORDS, TableLearner
from ridgeway.data.encoding.time import TimeEncoding
from ridgeway.data.frames import is_stream
from ridgeway.data.memory import as_table
from ridgeway.data.pandas_index import index_columns
from ridgeway.data.record_batch import as_batch
from ridgeway.data.source import Source
from ridgeway.messages.user_warning import warn_user
from ridgeway.storage.state import State, Stored
from ridgeway.validation.names import listed_texts
from ridgeway.validation.scalars import counted

MAX_ROWS = 1 << 62
LEVELS = 255  # of a category with their own features, unless the user says more or fewer
WORDS_EXPECTED = "expected 'auto' or an integer of 1 or more"


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Encode the columns of a table as features for a linear model.

    Numbers are unchanged; a missing number becomes the mean, and an indicator marks it. Booleans become 0 and 1. Each
    frequent level of a category has its own feature. The others, seen or unseen, share a fixed number of features by
    their hash, which is the same on every machine and in every version. Dates and times become a trend, the season, the
    day of the week and the time of day; text becomes hashed words. Strings are dates if all of them are written alike,
    such as 16/12/2006: a day above 12 shows whether days or months come first; without one, the month is assumed to
    come first, with a warning. Empty and constant columns, and columns of lists, structs or bytes, are dropped. The
    index of a pandas data frame labels rows and is ignored. `describe` lists the encoding of each column.

    Features depend only on the rows of the fit, so every later batch has the same features. Rows are dense if features
    are few, and CSR if they are many and mostly 0.

    Parameters
    ----------
    kinds : mapping from names of columns to "number", "boolean", "category", "text", "time", "day-first",
        "month-first", "year-first" (dates written as text) or "drop", for columns whose type is misleading, such as
        area codes written as numbers.
    levels : largest number of levels of a category with their own features, the most frequent ones; up to 65,536.
    min_count : smallest number of rows of such a level, and how often a word of a text comes at least to be named; with
        few rows, one in a hundred is enough.
    buckets : largest number of features that the other levels of a category share; fewer for few other levels, one for
        none.
    words : number of features that the words of a text share, or "auto": 1,024, and for a text that is the only column
        so many that few words share one, up to 16,384. More than 2,000 are for rows that fit in memory: streams and
        clusters of more features are learned by SGD instead of Gram matrices, which are exact.
    indicators : "seen" for columns with missing values in the rows of the fit, or "all" for all columns: then later
        batches may have missing values in any column.
    sparse : "auto", True or False: whether rows are CSR. "auto": if there are more than 256 features, of which a row
        has less than 8% on average.
    dtype : "auto", "float32" or "float64". "auto" is float32, unless it rounds a column of numbers by more than a
        thousandth of its standard deviation.
    learn_rows : number of first rows to use, if fitted to a source of batches.

    Attributes
    ----------
    n_features_out_ : number of features.
    row_bytes_ : bytes of an encoded row, on average.
    n_features_in_, feature_names_in_ : columns of the fit.
    rows_seen_ : number of rows of the fit.

    Examples
    --------
    >>> import pyarrow as pa, ridgeway as rw
    >>> table = pa.table({"size": [1.5, 2.0, None, 1.0], "shop": ["a", "b", "a", "b"]})
    >>> encoder = rw.TableEncoder(min_count=1).fit(table)
    >>> encoder.get_feature_names_out().tolist()
    ['size', 'size (missing)', 'shop=a', 'shop=b', 'shop hash 0']
    >>> encoder.transform(pa.table({"size": [3, None], "shop": ["b", "new"]}))
    array([[3. , 0. , 0. , 1. , 0. ],
           [1.5, 1. , 0. , 0. , 1. ]], dtype=float32)
    """

    _encoding: TableEncoding
    _learner: TableLearner

    def __init__(
        self,
        *,
        kinds: Mapping[str, str] | None = None,
        levels: int = LEVELS,
        min_count: int = 5,
        buckets: int = 32,
        words: int | str = 1024,
        indicators: str = "seen",
        sparse: bool | str = "auto",
        dtype: str = "auto",
        learn_rows: int = 262_144,
    ) -> None:
        self.kinds = kinds
        self.levels = levels
        self.min_count = min_count
        self.buckets = buckets
        self.words = words
        self.indicators = indicators
        self.sparse = sparse
        self.dtype = dtype
        self.learn_rows = learn_rows

    @atomic
    def fit(self, X: Any, y: Any = None, *, leave_out: Sequence[str] = ()) -> Self:
        """Learn the encoding from all rows of a table, or from the first rows of a source; discard the last one.

        Parameters
        ----------
        X : data frame, Arrow table, record batch or stream, array of shape (rows, columns), or `Source`.
        y : ignored.
        leave_out : names of columns that are not features, such as the target and the weights.
        """
        self._forget()
        leave_out = listed_texts("leave_out", leave_out)
        if not isinstance(X, Source):
            self._learn(_without(self._batch(X), leave_out), "the table")
            self._settle()
            self._warn_of_doubts()
            return self
        if X.schema is None:
            raise DataError(
                f"{X.name}: the rows are sparse numbers: expected a table; pass them to the estimator directly."
            )
        left = counted("learn_rows", self.learn_rows)
        for batch in X.batches(ahead=0):
            self._learn(_without(batch.slice(0, left), leave_out), X.name)
            left -= min(batch.num_rows, left)
            if left == 0:
                break
        self._settle()
        self._warn_of_doubts()
        return self

    @atomic
    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Learn from more rows. Features may change, so call this before `transform`.

        Parameters
        ----------
        X : data frame, Arrow table or record batch, or array of shape (rows, columns).
        y : ignored.
        """
        if not self.__sklearn_is_fitted__():
            self._forget()
        elif not hasattr(self, "_learner"):
            raise ValueError("an encoder made by from_dict cannot learn from more rows: fit a new one.")
        else:
            self._learner = self._learner.copy()
        self._learn(self._batch(X), "the table")
        self._settle()
        return self

    def transform(self, X: Any, place: str = "the table") -> Any:
        """Return the features of the rows, (rows, features); columns that were not in the fit are ignored.

        Parameters
        ----------
        X : data frame, Arrow table or record batch, or array of shape (rows, columns).
        place : name of the table in messages.
        """
        return self._fitted().rows(self._batch(X, index=True), place)

    def ignored(self, X: Any) -> list[str]:
        """Return the names of the columns of a table that `transform` ignores."""
        known = {encoding.column for encoding in self._fitted().encodings}
        return [name for name in self._batch(X).schema.names if name not in known]

    def unseen_levels(self, X: Any) -> dict[str, tuple[int, str]]:
        """Return columns with levels that the fit has not seen: the number of rows with such levels, and one of these.

        Only columns whose levels all have features of their own are told; where rare levels share features, new ones
        share them, too.

        Parameters
        ----------
        X : as in `transform`.

        Examples
        --------
        >>> import pyarrow as pa, ridgeway as rw
        >>> encoder = rw.TableEncoder(min_count=1).fit(pa.table({"shop": ["a", "b", "a"]}))
        >>> encoder.unseen_levels(pa.table({"shop": ["b", "c", None, "c"]}))
        {'shop': (2, 'c')}
        """
        batch, found = self._batch(X, index=True), {}
        for encoding in self._fitted().encodings:
            if isinstance(encoding, CategoryEncoding) and (new := encoding.unseen(batch.column(encoding.column)))[0]:
                found[encoding.column] = new
        return found

    def describe(self) -> TableDescription:
        """Return the encoding of each column; ``to_frame()`` makes it a data frame."""
        return TableDescription(
            tuple(
                ColumnDescription(encoding.column, encoding.kind, encoding.note, encoding.n_features)
                for encoding in self._fitted().encodings
            )
        )

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the features: ``column``, ``column=level``, ``column (missing)``, ``column hash 3``, ...

        A feature of hashed words is named by its most frequent words: ``column: fine, old (word 17)``, or ``column word
        17`` if none of its words came `min_count` times.

        Parameters
        ----------
        input_features : must be None or the columns of the fit; otherwise an error is raised.
        """
        names = self._fitted().names
        if input_features is not None and list(input_features) != [
            encoding.column for encoding in self._fitted().encodings
        ]:
            raise ValueError("input_features is not equal to feature_names_in_: expected the columns of the fit.")
        return np.array(names, dtype=object)

    @property
    def n_features_out_(self) -> int:
        """Number of features."""
        return len(self._fitted().names)

    @property
    def row_bytes_(self) -> float:
        """Bytes of an encoded row, on average."""
        return self._fitted().row_bytes

    @property
    def text_columns_(self) -> dict[str, str]:
        """Columns to read from CSV files as text: ``open_data(path, kinds=...)``."""
        written = self.date_orders_
        return {
            encoding.column: "text"
            for encoding in self._fitted().encodings
            if encoding.kind in ("category", "text")
            or encoding.column in written
            or (isinstance(encoding, NumberEncoding) and encoding.mark)
        }

    @property
    def date_orders_(self) -> dict[str, str]:
        """Columns of dates written as text, and their order: "day-first", "month-first" or "year-first"."""
        times = [encoding for encoding in self._fitted().encodings if isinstance(encoding, TimeEncoding)]
        return {encoding.column: encoding.order for encoding in times if encoding.order is not None}

    @property
    def doubts_(self) -> list[str]:
        """Warnings about choices that the rows do not determine, such as the order of dates; `fit` issues them."""
        return self._learner.doubts if hasattr(self, "_learner") else []

    def state(self) -> State:
        """Return all that `transform` needs as plain values for JSON."""
        return {**self._fitted().state(), "rows": self.rows_seen_}

    @classmethod
    def from_state(cls, stored: Stored) -> Self:
        """Return the fitted encoder of a state."""
        encoder = cls()
        encoder._encoding = TableEncoding.from_state(stored)
        encoder.n_features_in_ = len(encoder._encoding.encodings)
        encoder.rows_seen_ = stored.integer("rows", 0, MAX_ROWS)
        return encoder

    def to_dict(self) -> dict[str, Any]:
        """Return all that `transform` needs as plain values for JSON; the same as `state`."""
        return self.state()

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Return a fitted encoder from the values of `to_dict`; ValueError if they are not valid.

        Examples
        --------
        >>> import json, ridgeway as rw
        >>> encoder = rw.TableEncoder().fit([[1.0, 2.0], [3.0, 5.0]])
        >>> again = rw.TableEncoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
        >>> again.transform([[1.0, 2.0]])
        array([[1., 2.]], dtype=float32)
        """
        values = dict(state) if isinstance(state, Mapping) else state
        return cls.from_state(Stored(values, "encoder", "the values are damaged, fit again"))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_encoding")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    @property
    def dtype_(self) -> str:
        """Precision of the features, "float32" or "float64"."""
        return self._fitted().dtype

    def _fitted(self) -> TableEncoding:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with rows to learn from first."
            )
        return self._encoding

    def _learn(self, batch: Any, source_name: str) -> None:
        if not hasattr(self, "_learner"):
            self._learner = TableLearner(self.kinds or {})
        self._learner.learn(batch, source_name)
        self.rows_seen_ += batch.num_rows

    def _settle(self) -> None:
        """Decide the encodings from all rows so far."""
        if self.indicators not in ("seen", "all"):
            raise ValueError(f"indicators={self.indicators!r}: expected 'seen' or 'all'.")
        if self.sparse not in ("auto", True, False):
            raise ValueError(f"sparse={self.sparse!r}: expected 'auto', True or False.")
        if self.dtype not in ("auto", "float32", "float64"):
            raise ValueError(f"dtype={self.dtype!r}: expected 'auto', 'float32' or 'float64'.")
        automatic = isinstance(self.words, str) and self.words == "auto"
        n_words = MIN_WORDS if automatic else counted("words", self.words, WORDS_EXPECTED)
        options = Options(
            self._checked_levels(),
            counted("min_count", self.min_count),
            counted("buckets", self.buckets),
            n_words,
            n_words,
            self.indicators == "all",
        )
        encodings = self._learner.encodings(options, words_alone=automatic)
        self._encoding = TableEncoding.of(encodings, self.sparse, self.dtype, self._learner.needs_double)
        if not hasattr(self, "n_features_in_"):
            self.feature_names_in_ = np.array(self._learner.columns, dtype=object)
            self.n_features_in_ = len(self._learner.columns)

    def _checked_levels(self) -> int:
        """Return the number of levels; more than a model file can hold are refused."""
        levels = counted("levels", self.levels)
        if levels > MAX_LEVELS:
            raise ValueError(f"levels={levels}: expected an integer from 1 to {MAX_LEVELS:,}.")
        return levels

    def _warn_of_doubts(self) -> None:
        for doubt in self.doubts_:
            warn_user(doubt)

    def _batch(self, X: Any, index: bool = False) -> Any:
        """Return a table as a record batch; columns of an array have the names learned, or x0, x1, ..."""
        if isinstance(X, pa.RecordBatch) and (index or not index_columns(X.schema)):
            return X
        if isinstance(X, pa.RecordBatch) or is_into_dataframe(X) or is_stream(X):
            table = as_table(X, index=index)
        else:
            fitted = self.__sklearn_is_fitted__()
            array = validate_data(self, X, reset=not fitted, dtype=None, ensure_all_finite=False)
            table = as_table(array)
            if fitted:
                table = table.rename_columns([encoding.column for encoding in self._encoding.encodings])
        return as_batch(table)

    def _forget(self) -> None:
        for name in ("_encoding", "_learner", "feature_names_in_", "n_features_in_"):
            if hasattr(self, name):
                delattr(self, name)
        self.rows_seen_ = 0


def _without(batch: Any, names: Sequence[str]) -> Any:
    return batch.select([name for name in batch.schema.names if name not in names]) if names else batch
