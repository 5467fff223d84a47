"""LIBSVM text against scikit-learn's reader of whole files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

import ridgeway.data.libsvm as libsvm
from ridgeway.data import DataError, open_data


# Law: batches of any size joined are the whole file; columns counted from 0 or 1, plain or gzipped.
@pytest.mark.parametrize("zero_based", [True, False])
@pytest.mark.parametrize("ending", ["svm", "libsvm.gz"])
def test_batches(zero_based: bool, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libsvm, "LIBSVM_BLOCK_BYTES", 1 << 10)
    rng = np.random.default_rng(0)
    full = np.where(rng.random((300, 40)) < 0.1, rng.standard_normal((300, 40)), 0)
    full[0, 0], full[1, 39] = 1.5, 2.5
    X = scipy.sparse.csr_array(full)
    y = rng.standard_normal(300)
    path = tmp_path / f"rows.{ending}"
    dump_svmlight_file(X, y, str(path), zero_based=zero_based)
    if ending.endswith("gz"):
        path.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    expected, targets = load_svmlight_file(str(path))
    source = open_data(path, batch_rows=70)
    assert (source.n_rows, source.schema) == (300, None)
    for start in (0, 1, 4):
        batches = list(source.batches(start))
        assert [len(part) for _, part in batches] == ([70] * 4 + [20])[start:]
        assert (scipy.sparse.vstack([rows for rows, _ in batches]) != expected[start * 70 :]).nnz == 0
        assert np.concatenate([part for _, part in batches]).tolist() == targets[start * 70 :].tolist()


def test_several_files_have_the_same_columns(tmp_path: Path) -> None:
    (tmp_path / "1.svm").write_text("1 1:1\n\n# a comment\n2 2:1 # with words\n")
    (tmp_path / "2.svm").write_text("3 5:1\n4\n")
    (batch,) = open_data(tmp_path).batches()
    assert batch[0].toarray().tolist() == [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 0]]
    assert batch[1].tolist() == [1, 2, 3, 4]


# Law: what is no LIBSVM text is refused, with the line.
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the file is empty"),
        (b"1 1:2\n1 3:x\n", "line 2 is '1 3:x': expected a number and pairs"),
        (b"1 3:1 2:1\n", "line 1 is .*the indices increasing"),
        (b"a,b\n1,2\n", "line 1 is 'a,b'"),
        (b"1 1:nan\n", "NaN or infinity after line 1"),
        (b"1 999999999:1\n", "column 999,999,999 after line 1: expected at most"),
        (gzip.compress(b"1 1:2\n" * 5000, mtime=0)[:-20], "the file is damaged, .*Truncated compressed stream"),
    ],
)
def test_refused(text: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_bytes(text)
    with pytest.raises(DataError, match=message) as caught:
        open_data(path)
    assert "rows.svm" in str(caught.value)


# Law: lines longer than what is read at once, rows without entries and a last line without an end are read.
def test_lines_of_any_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libsvm, "LIBSVM_BLOCK_BYTES", 8)
    path = tmp_path / "rows.svm"
    path.write_text("1 1:1 2:2 3:3 4:4 5:5 6:6 7:7\n2\n3\n4 2:1")
    (batch,) = open_data(path).batches()
    assert batch[0].toarray().tolist() == [[1, 2, 3, 4, 5, 6, 7], [0] * 7, [0] * 7, [0, 1, 0, 0, 0, 0, 0]]
    assert batch[1].tolist() == [1, 2, 3, 4]
    monkeypatch.setattr(libsvm, "MAX_LINE_BYTES", 16)
    with pytest.raises(DataError, match=r"rows\.svm: a line of more than 16 bytes: expected LIBSVM text"):
        open_data(path)
