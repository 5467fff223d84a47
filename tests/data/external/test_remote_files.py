"""Files in an object store, a real S3 server, and on a web server."""

from __future__ import annotations

import gzip
import io
import tempfile
import urllib.request
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from tests.cli.command import Command
from tests.data.external.sales import fitted, sales, same_model
from tests.servers import free_port, web_server

from ridgeway.data import DataError, column_names, external_table, open_data
from ridgeway.data.external import ExternalTable
from ridgeway.data.external.remote_files import StoredFiles

SECRET = "store+secret/19"


@pytest.fixture
def bucket(store: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The file system of the store, whose address and credentials are in the environment, as users have them."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tester")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL", store)
    return pa.fs.S3FileSystem(region="us-east-1", endpoint_override=store)


def put(bucket: Any, path: str, content: bytes) -> None:
    with bucket.open_output_stream(f"shop/{path}") as file:
        file.write(content)


def as_parquet(table: Any, **how: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **how)
    return sink.getvalue()


def as_csv(table: Any) -> bytes:
    sink = io.BytesIO()
    pyarrow.csv.write_csv(table, sink)
    return sink.getvalue()


def stored_table(address: str) -> ExternalTable:
    table = external_table(address)
    assert table is not None
    return table


# Law: Google's store gives the model of the local file, from a file, a folder and a pattern; only needed columns come
# here, and what is not there or does not answer is an error that names the address and the remedy.
def test_google_store(google: str, tmp_path: Path) -> None:
    where = f"?scheme=http&endpoint_override={google}"
    for name in ("a", "b"):
        content = as_parquet(sales(), row_group_size=500)
        request = urllib.request.Request(
            f"http://{google}/upload/storage/v1/b/shop/o?uploadType=media&name=2024/{name}.parquet",
            content,
            method="POST",
        )
        urllib.request.urlopen(request).close()
        (tmp_path / f"{name}.parquet").write_bytes(content)
    one = fitted(tmp_path / "a.parquet")
    assert same_model(fitted(stored_table(f"gs://anonymous@shop/2024/a.parquet{where}")), one)
    both = fitted(tmp_path)
    for path in ("2024", "*/*.parquet"):
        assert same_model(fitted(stored_table(f"gs://anonymous@shop/{path}{where}")), both), path
    table = stored_table(f"gs://anonymous@shop/2024/a.parquet{where}")
    assert table.name == "gs://shop/2024/a.parquet"
    columns = sales().column_names[:2]
    assert pq.read_schema(table.local(columns)).names == columns
    with pytest.raises(DataError, match=r"gs://shop/nowhere.csv: no such file or folder"):
        stored_table(f"gs://anonymous@shop/nowhere.csv{where}").local(None)
    nobody = f"?scheme=http&endpoint_override=127.0.0.1:{free_port()}&retry_limit_seconds=1"
    with pytest.raises(DataError, match=r"(?s)gs://shop/a.csv: .*check the address, your credentials"):
        stored_table(f"gs://anonymous@shop/a.csv{nobody}").local(None)


# Law: files of any format in an object store give the model of the local file, to the last bit, also streamed.
def test_same_model(bucket: Any, tmp_path: Path) -> None:
    content = {
        "one.parquet": as_parquet(sales(), row_group_size=500),
        "one.csv": as_csv(sales()),
        "one.csv.gz": gzip.compress(as_csv(sales())),
    }
    for name, data in content.items():
        put(bucket, name, data)
        (tmp_path / name).write_bytes(data)
        assert same_model(fitted(f"s3://shop/{name}"), fitted(tmp_path / name)), name
    assert same_model(fitted("s3://shop/one.parquet", memory=0), fitted(tmp_path / "one.parquet", memory=0))


# Law: a folder and a pattern mean the same files as on a disk; only needed columns of Parquet files are copied.
def test_folders_and_columns(bucket: Any, tmp_path: Path) -> None:
    for number in range(3):
        data = as_parquet(sales(400, number))
        put(bucket, f"many/{number}.parquet", data)
        (tmp_path / f"{number}.parquet").write_bytes(data)
    put(bucket, "many/_notes.txt", b"nothing")
    expected = fitted(tmp_path)
    for address in ("s3://shop/many", "s3://shop/many/*.parquet", "s3://shop/many/[0-2].parquet"):
        assert same_model(fitted(address), expected), address
    assert open_data("s3://shop/many/1.par*").n_rows == 400
    table = external_table("s3://shop/many/0.parquet")
    assert table is not None
    names = column_names(table)
    assert names is not None
    assert names.names == sales().column_names
    assert pq.read_schema(table.local(["price", "shop"])).names == ["price", "shop"]


# Law: what is missing, damaged or refused is told by its address, and credentials in it are not.
def test_store_errors(bucket: Any, store: str) -> None:
    put(bucket, "broken.parquet", b"PAR1 nothing")
    put(bucket, "mixed.csv", b"x,price\n7,8\n" + b"1.000000000000000000000000000000,2\n" * 300_000 + b"text,3\n" * 1000)
    host = store.removeprefix("http://")
    for address, message in (
        ("s3://shop/nowhere.parquet", "s3://shop/nowhere.parquet: no such file or folder"),
        ("s3://shop/nowhere/*.csv", "no file to read"),
        ("s3://shop/broken.parquet", "s3://shop/broken.parquet: "),
        (f"s3://tester:hidden-19@shop/none.csv?scheme=http&endpoint_override={host}", "s3://shop/none.csv: no such"),
    ):
        with pytest.raises(DataError, match=message) as caught:
            column_names(address)
        assert "hidden-19" not in str(caught.value)
    with pytest.raises(DataError, match=r"s3://shop/mixed\.csv: .*'x'"):
        fitted("s3://shop/mixed.csv")


class Hostile:
    """A store of objects with the keys that are given."""

    def __init__(self, *keys: str) -> None:
        self.keys = keys

    def open_input_stream(self, path: str) -> Any:
        assert path in self.keys
        return io.BytesIO(b"x,price\n1,2\n")


# Law: no key of an object writes outside of the folder of the copies, or over the copy of another object.
@pytest.mark.parametrize(
    "key",
    [
        "shop/x/../../../../evil.csv",
        "shop/../other/evil.csv",
        "shop/x/../good.csv",
        "shop/./good.csv",
        "../shop/evil.csv",
    ],
)
def test_keys_stay_in_the_folder(key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "a" / "b"))
    table = StoredFiles("s3://shop/*/*.csv")
    for keys in (["shop/good.csv", "shop/z/fine.csv"], ["shop/good.csv", key]):
        table._folders, table._found = {}, (Hostile(*keys), keys)
        if key not in keys:
            assert sorted(file.name for file in table.local(None).rglob("*.csv")) == ["fine.csv", "good.csv"]
            continue
        with pytest.raises(DataError, match=r"s3://shop/\*/\*\.csv: an object has the key .*expected keys without"):
            table.local(None)
    assert list(tmp_path.rglob("evil.csv")) == []


# Law: the command line reads from a store, with a query too, and tells no secret of it.
def test_command(
    bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ridgeway = Command(capsys)
    put(bucket, "told.parquet", as_parquet(sales(600)))
    address = "s3://shop/told.parquet"
    for more in ([], ["--query", "SELECT * FROM data WHERE items > 2"]):
        code, out, err = ridgeway("fit", address, "--target", "price", "--model", "m.safetensors", *more)
        assert code == 0, err
        assert SECRET not in out + err
        assert SECRET.encode() not in (tmp_path / "m.safetensors").read_bytes()


class Cut(SimpleHTTPRequestHandler):
    """A server that ends a connection too early, and refuses who does not know the password."""

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        if self.path.startswith("/closed/") and self.headers["Authorization"] != "Basic bWU6aGlkZGVuLTIz":
            self.send_error(401)
            return
        if self.path.startswith("/closed/"):
            self.path = self.path.removeprefix("/closed")
        if "cut" not in self.path:
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"x,price\n1,2\n")


# Law: a file on a web server gives the model of the local file; parameters of an address are not told.
def test_web(tmp_path: Path) -> None:
    (tmp_path / "sales.parquet").write_bytes(as_parquet(sales()))
    (tmp_path / "sales.csv").write_bytes(as_csv(sales()))
    with web_server(tmp_path) as address:
        for name in ("sales.parquet", "sales.csv"):
            model = fitted(f"{address}/{name}?signature=hidden")
            assert same_model(model, fitted(tmp_path / name))
            assert model.facts.data == name


# Law: a missing file, a refused one, and a connection that ends too early are told; a password is a header, not a name.
def test_web_errors(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_bytes(as_csv(sales(50)))
    (tmp_path / "table").write_bytes(b"\x00\x01")
    with web_server(tmp_path, Cut) as address:
        for path, message in (
            ("nowhere.csv", r"nowhere\.csv: HTTP Error 404.*check the address"),
            ("closed/sales.csv", "HTTP Error 401"),
            ("cut.csv", r"the connection ended after 12 of 100,000 bytes|IncompleteRead"),
            ("table", "unknown format"),
        ):
            with pytest.raises(DataError, match=message):
                open_data(f"{address}/{path}")
        with_user = address.replace("http://", "http://me:hidden-23@")
        source = open_data(f"{with_user}/closed/sales.csv")
        assert (sum(batch.num_rows for batch in source.batches()), "hidden-23" in source.name) == (50, False)
        with pytest.raises(DataError) as caught:
            open_data(f"{with_user}/nowhere.csv")
        assert "hidden-23" not in str(caught.value)
    with pytest.raises(DataError, match=r"Connection refused.*check the address and the network"):
        open_data(f"{address}/sales.csv")
