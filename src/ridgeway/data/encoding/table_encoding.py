"""`TableEncoding`: the encodings of all columns, and the rows that they make from a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse

from ridgeway import _core
from ridgeway.data.encoding.category import CategoryEncoding
from ridgeway.data.encoding.dropped import Dropped
from ridgeway.data.encoding.encoding import Encoding
from ridgeway.data.encoding.number import BooleanEncoding, NumberEncoding
from ridgeway.data.encoding.strings import Words
from ridgeway.data.encoding.time import TimeEncoding
from ridgeway.data.encoding.words import WordsEncoding
from ridgeway.data.schema import no_column
from ridgeway.storage.class_registry import ClassRegistry
from ridgeway.storage.state import FLOATS, State, StateError, Stored

ENCODER_VERSION = 1
MIN_SPARSE_FEATURES = 256  # more features than these may be stored as CSR
MAX_SPARSE_SHARE = 0.08  # share of the features that a row has, below which rows are stored as CSR
MAX_ENCODED_COLUMNS = 1 << 16
MAX_FEATURES = 1 << 24

ENCODINGS: ClassRegistry[Encoding] = ClassRegistry(
    "kind",
    {
        encoding.kind: encoding
        for encoding in (NumberEncoding, BooleanEncoding, CategoryEncoding, TimeEncoding, WordsEncoding, Dropped)
    },
)


@dataclass(frozen=True)
class TableEncoding:
    """How a table is encoded as rows.

    The features are in the order of the columns, with the words of all texts last.

    Attributes
    ----------
    encodings : one for each column.
    sparse : whether rows are CSR.
    dtype : "float32" or "float64".
    """

    encodings: tuple[Encoding, ...]
    sparse: bool
    dtype: str

    @classmethod
    def of(cls, encodings: Sequence[Encoding], sparse: bool | str, dtype: str, double: bool) -> TableEncoding:
        """Decide the form of the rows if the user did not."""
        if sparse == "auto":
            features = sum(len(encoding.names) for encoding in encodings)
            sparse = (
                features > MIN_SPARSE_FEATURES
                and sum(encoding.n_entries for encoding in encodings) < MAX_SPARSE_SHARE * features
            )
        if dtype == "auto":
            dtype = "float64" if double else "float32"
        return cls(tuple(encodings), bool(sparse), dtype)

    @cached_property
    def names(self) -> list[str]:
        """Names of the features."""
        fixed = [name for encoding in self.encodings for name in encoding.names[: _fixed(encoding)]]
        return fixed + [name for encoding in self.encodings for name in encoding.names[_fixed(encoding) :]]

    @property
    def row_bytes(self) -> float:
        """Bytes of an encoded row, on average; a little more if words come twice in a row."""
        itemsize = np.dtype(self.dtype).itemsize
        if not self.sparse:
            return float(itemsize * len(self.names))
        entries = sum(encoding.n_entries for encoding in self.encodings)
        return (itemsize + np.dtype(np.int32).itemsize) * entries + np.dtype(np.int64).itemsize

    def rows(self, batch: Any, source_name: str) -> Any:
        """Return the features of a record batch, an array or CSR matrix of shape (rows, features)."""
        n, dtype = batch.num_rows, np.dtype(self.dtype)
        slots = sum(encoding.n_slots for encoding in self.encodings)
        codes, values = np.empty((slots, n), dtype=np.int32), np.empty((slots, n), dtype=dtype)
        first = slot = 0
        texts: list[Words] = []
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        for encoding in self.encodings:
            if encoding.column not in columns:
                raise no_column(encoding.column, columns, source_name)
            if isinstance(encoding, Dropped):
                continue
            column = columns[encoding.column]
            end = slot + encoding.n_slots
            encoding.write(column, first, codes[slot:end], values[slot:end], source_name)
            first, slot = first + _fixed(encoding), end
            if encoding.n_words:
                texts.append(encoding.words(column, dtype))
        fill = self._csr if self.sparse else self._dense
        return fill(codes, values, texts, first)

    def _dense(self, codes: Any, values: Any, texts: Sequence[Words], first: int) -> Any:
        out = np.zeros((codes.shape[1], len(self.names)), dtype=values.dtype)
        _core.fill_dense(codes, values, out)
        for text, buckets in zip(texts, self._word_counts, strict=True):
            _core.fill_dense_words(text.arrays, first, out)
            first += buckets
        return out

    def _csr(self, codes: Any, values: Any, texts: Sequence[Words], first: int) -> Any:
        n = codes.shape[1]
        counts = np.count_nonzero((codes >= 0) & (values != 0), axis=0)
        for text in texts:
            counts += text.counts
        pointers = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(counts, out=pointers[1:])
        indices, data = np.empty(pointers[-1], dtype=np.int32), np.empty(pointers[-1], dtype=values.dtype)
        rows = _core.OpenRows(places=pointers[:-1].copy(), indices=indices, data=data)
        _core.fill_sparse(codes, values, rows)
        for text, buckets in zip(texts, self._word_counts, strict=True):
            _core.fill_sparse_words(text.arrays, first, rows)
            first += buckets
        return scipy.sparse.csr_matrix((data, indices, pointers), (n, len(self.names)))

    @cached_property
    def _word_counts(self) -> list[int]:
        return [encoding.n_words for encoding in self.encodings if encoding.n_words]

    def state(self) -> State:
        """Return plain values for JSON."""
        return {
            "version": ENCODER_VERSION,
            "sparse": self.sparse,
            "dtype": self.dtype,
            "columns": [{"kind": encoding.kind, **encoding.state()} for encoding in self.encodings],
        }

    @classmethod
    def from_state(cls, stored: Stored) -> TableEncoding:
        """Return the encodings of a state."""
        version = stored.integer("version", 1, 1 << 30)
        if version > ENCODER_VERSION:
            raise StateError(
                f"encoder: version {version} is newer than {ENCODER_VERSION}, which this ridgeway reads: update "
                "ridgeway."
            )
        dtype = stored.text("dtype", FLOATS)
        columns = stored.parts("columns", 1, MAX_ENCODED_COLUMNS)
        encodings = tuple(ENCODINGS.from_state(column) for column in columns)
        names = {encoding.column for encoding in encodings}
        n_features = sum(encoding.n_features for encoding in encodings)
        stored.require(len(names) == len(encodings), "columns", "columns of different names")
        stored.require(n_features <= MAX_FEATURES, "columns", f"at most {MAX_FEATURES:,} features in all")
        return cls(encodings, stored.flag("sparse"), dtype)


def _fixed(encoding: Encoding) -> int:
    """Number of features that are not buckets of words."""
    return encoding.n_features - encoding.n_words
