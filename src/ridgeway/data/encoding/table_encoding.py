"""`TableEncoding`: the encodings of all columns, and the rows that they make from a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse

from ridgeway import _core
from ridgeway.data.encoding import state as checked
from ridgeway.data.encoding.category import CategoryEncoding
from ridgeway.data.encoding.dropped import Dropped
from ridgeway.data.encoding.encoding import Encoding
from ridgeway.data.encoding.number import BooleanEncoding, NumberEncoding
from ridgeway.data.encoding.strings import Words
from ridgeway.data.encoding.time import TimeEncoding
from ridgeway.data.encoding.words import WordsEncoding
from ridgeway.data.schema import no_column

VERSION = 1
MIN_SPARSE_FEATURES, MAX_SPARSE_SHARE = (
    256,
    0.08,
)  # features, and share of them that a row has, beyond and below which rows are sparse
MAX_COLUMNS = 1 << 16
MAX_FEATURES = 1 << 24

KINDS: dict[str, type[Encoding]] = {
    kind.kind: kind
    for kind in (NumberEncoding, BooleanEncoding, CategoryEncoding, TimeEncoding, WordsEncoding, Dropped)
}


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

    def rows(self, batch: Any, place: str) -> Any:
        """Return the features of a record batch, an array or CSR matrix of shape (rows, features)."""
        n, dtype = batch.num_rows, np.dtype(self.dtype)
        slots = sum(encoding.n_slots for encoding in self.encodings)
        codes, values = np.empty((slots, n), dtype=np.int32), np.empty((slots, n), dtype=dtype)
        first = slot = 0
        texts: list[Words] = []
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        for encoding in self.encodings:
            if encoding.column not in columns:
                raise no_column(encoding.column, columns, place)
            if isinstance(encoding, Dropped):
                continue
            column = columns[encoding.column]
            end = slot + encoding.n_slots
            encoding.write(column, first, codes[slot:end], values[slot:end], place)
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "version": VERSION,
            "sparse": self.sparse,
            "dtype": self.dtype,
            "columns": [{"kind": encoding.kind, **encoding.to_dict()} for encoding in self.encodings],
        }

    @classmethod
    def from_dict(cls, state: Any) -> TableEncoding:
        """Return the plan of such values, or raise ValueError."""
        if not isinstance(state, Mapping):
            raise checked.refused("state", state, "a mapping")
        version = checked.whole(state, "version", 1, 1 << 30)
        if version > VERSION:
            raise ValueError(
                f"encoder: version {version} is newer than {VERSION}, which this ridgeway reads: update ridgeway."
            )
        dtype = checked.text(state, "dtype")
        if dtype not in ("float32", "float64"):
            raise checked.refused("dtype", dtype, "float32 or float64")
        columns = state.get("columns")
        if not isinstance(columns, list) or not 1 <= len(columns) <= MAX_COLUMNS:
            raise checked.refused("columns", columns, f"a list of 1 to {MAX_COLUMNS:,} columns")
        encodings = []
        for column in columns:
            kind = column.get("kind") if isinstance(column, Mapping) else None
            if not isinstance(kind, str) or kind not in KINDS:
                raise checked.refused("columns", column, f"columns of the kinds {', '.join(KINDS)}")
            encodings.append(KINDS[kind].from_dict(column))
        names = [encoding.column for encoding in encodings]
        if len(set(names)) != len(names):
            raise checked.refused("columns", names, "columns of different names")
        if sum(encoding.n_features for encoding in encodings) > MAX_FEATURES:
            raise checked.refused("columns", names, f"at most {MAX_FEATURES:,} features in all")
        return cls(tuple(encodings), checked.flag(state, "sparse"), dtype)


def _fixed(encoding: Encoding) -> int:
    """Number of features that are not buckets of words."""
    return encoding.n_features - encoding.n_words
