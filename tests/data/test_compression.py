"""Compressed text: every usual compression, and what is wrong with an archive."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from tests.data.tables import compressed, mixed_table, values, write

from ridgeway.data import DataError, open_data
from ridgeway.data.compression import is_compressed
from ridgeway.tables.size import guess_rows

ENDINGS = ("gz", "bz2", "xz", "zst", "zip")


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    """Write a zip file of these members."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name, content)
    path.write_bytes(archive.getvalue())
    return path


# Law: an archive that was cut off, or in which a byte changed, is an error that names it, or gives other rows.
@pytest.mark.parametrize("ending", ENDINGS)
def test_damaged_archives(ending: str, tmp_path: Path) -> None:
    whole = write(mixed_table(2000), tmp_path / f"whole.csv.{ending}").read_bytes()
    path = tmp_path / f"damaged.csv.{ending}"
    for length in (12, 40, len(whole) // 2, len(whole) - 3):
        path.write_bytes(whole[:length])
        with pytest.raises(DataError, match=rf"damaged\.csv\.{ending}: "):
            list(open_data(path).batches())
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 0xFF
    path.write_bytes(bytes(changed))
    try:
        list(open_data(path).batches())
    except DataError as error:
        assert f"damaged.csv.{ending}: " in str(error)  # noqa: PT017, zstd files need not have a checksum


# Law: a zip file is read if it holds one file; what macOS and folders add does not count.
def test_members_of_a_zip_file(tmp_path: Path) -> None:
    text = b"x,y\n1,2\n3,4\n"
    one = zipped(tmp_path / "one.csv.zip", {"folder/": b"", "folder/t.csv": text, "__MACOSX/._t.csv": b"-"})
    assert values(open_data(one).batches()) == [{"x": [1, 3], "y": [2, 4]}]
    two = zipped(tmp_path / "two.csv.zip", {"a.csv": text, "b.csv": text})
    with pytest.raises(DataError, match=r"two\.csv\.zip: the zip file holds 2 files \('a\.csv', 'b\.csv'\).*unzip"):
        open_data(two)
    none = zipped(tmp_path / "none.csv.zip", {})
    with pytest.raises(
        DataError, match=r"none\.csv\.zip: the (zip file holds no file|compressed file cannot be unpacked)"
    ):
        open_data(none)
    workbook = zipped(tmp_path / "workbook.csv", {"[Content_Types].xml": b"", "xl/workbook.xml": b""})
    with pytest.raises(DataError, match=r"workbook\.csv: an Excel workbook whose name ends in '\.csv'"):
        open_data(workbook)


# Law: a file is decompressed by what it holds, not by its name; "BZh" may begin a header.
@pytest.mark.parametrize("ending", ENDINGS)
def test_contents_decide(ending: str, tmp_path: Path) -> None:
    text = b"BZh,y\n1,2\n3,4\n"
    plain, packed = tmp_path / f"plain.csv.{ending}", tmp_path / "packed.csv"
    plain.write_bytes(text)
    packed.write_bytes(compressed(text, f".{ending}"))
    assert not is_compressed(plain)
    assert is_compressed(packed)
    assert values(open_data(plain).batches()) == values(open_data(packed).batches()) == [{"BZh": [1, 3], "y": [2, 4]}]


# Law: the rows of a compressed file are guessed from its first megabyte, to half of their number or better.
@pytest.mark.parametrize("ending", ENDINGS)
def test_guessed_rows(ending: str, tmp_path: Path) -> None:
    path = write(mixed_table(40_000), tmp_path / f"table.csv.{ending}")
    guess = guess_rows(open_data(path))
    assert guess is not None
    assert 10_000 < guess < 80_000
