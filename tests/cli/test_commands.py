"""What the commands do on real files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pandas as pd
import pyarrow.csv
import pyarrow.parquet
import pytest
from tests.cli.command import Command, finish, start
from tests.oracles import problem
from tests.tables.shop import shop_table, write_csv

import ridgeway as rw
from ridgeway.cli import main
from ridgeway.tables import Request, fit_table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# Law: help and version import nothing heavy.
def test_help_is_light() -> None:
    code = (
        "import sys\nfrom ridgeway.cli.commands import run\n"
        "assert run(['--help']) == 0 and run(['fit', '--help']) == 0 and run(['--version']) == 0\n"
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'pyarrow', 'rich') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "[]"
    for name in ("demo", "fit", "predict", "evaluate", "show", "report", "export", "paper"):
        assert f"\n  {name}" in said
    assert f"ridgeway {rw.__version__}" in said


# Law: `fit` writes the model that `fit_table` makes, the same bytes each time, and `predict` its predictions.
def test_fit_and_predict(ridgeway: Command, shop_csv: Path, tmp_path: Path) -> None:
    said = ridgeway("fit", shop_csv, "--target", "price", "--passes", 3, "--seed", 5, "--model", "m.safetensors")
    assert said.code == 0
    assert "encoded as" in said.out
    assert re.search(r"^(Strength|Average): .+, chosen among \d+ by ", said.out, re.MULTILINE)
    assert "Written: m.safetensors" in said.out
    fit_table(shop_csv, Request(target="price", passes=3, seed=5)).save("again")
    assert Path("m.safetensors").read_bytes() == Path("again").read_bytes()
    said = ridgeway("predict", "m.safetensors", shop_csv, "--out", "p.parquet")
    assert said.code == 0
    assert "The table has 'price', the target: to compare it with the predictions, run ridgeway evaluate" in said.out
    assert "Ignored columns" not in said.out
    table = pyarrow.parquet.read_table("p.parquet")
    assert table.column_names[-1] == "prediction"
    np.testing.assert_array_equal(table["prediction"].to_numpy(), rw.load("m.safetensors").predict(shop_csv))


# Law: by default a table is solved exactly; text, --json, `show` and the report say by what and why.
def test_solver(ridgeway: Command, shop_csv: Path) -> None:
    said = ridgeway("fit", shop_csv, "--target", "price", "--model", "m", "--report", "r.html")
    assert said.code == 0
    solver = "Gram matrices (gram), 2,941 rows of 20 columns fit into Gram matrices in one read"
    assert f"Solver: {solver}." in said.out
    assert re.search(r"On 2,941 held-out rows, price: squared error 0\.6\d+, R\^2 0\.6", said.out)
    shown = ridgeway("show", "m").out
    assert f"Solver: {solver}." in shown
    assert "solved exactly" in shown
    page = Path("r.html").read_text(encoding="utf-8")
    for words in (solver, "It explains 68% of the variance", "The fit compared 110 strengths (5 folds, Gram matrices)"):
        assert words in page
    told = json.loads(ridgeway("fit", shop_csv, "--target", "price", "--solver", "krylov", "--json").out)
    assert (told["solver"], told["solver_reason"], told["step"]) == ("krylov", "as requested", None)
    rw.RidgePathCV().fit(np.arange(8.0).reshape(4, 2), [1.0, 3.0, 2.0, 4.0]).save("plain")
    assert "Solver: Gram matrices (gram), 4 rows of 2 columns" in ridgeway("show", "plain").out


# Law: options of SGD mean SGD; beside another solver they are refused. Kernels take any solver that they have.
def test_options_of_sgd(ridgeway: Command, shop_csv: Path) -> None:
    said = ridgeway("fit", shop_csv, "--target", "price", "--passes", 2)
    assert "Solver: averaged SGD (sgd), because passes=2 is an option of SGD." in said.out
    said = ridgeway("fit", shop_csv, "--target", "price", "--passes", 2, "--solver", "gram")
    assert said.code == 1
    assert "passes=2 belongs to SGD, but solver='gram' was requested" in said.err
    kernel = "fit", shop_csv, "--target", "price", "--kernel", "linear", "--alpha", 1, "--json", "--solver"
    for solver, options in (("krylov", ()), ("sgd", ("--passes", 2))):
        told = json.loads(ridgeway(*kernel, solver, *options).out)
        assert (told["solver"], told["solver_reason"]) == (solver, "as requested")
    said = ridgeway(*kernel, "gram")
    assert said.code == 2
    assert "expected auto, krylov or sgd; leave out --solver" in said.err
    said = ridgeway(*kernel, "krylov", "--components", 20, "--memory", 0)
    assert said.code == 1
    assert "solver 'krylov' needs all rows in memory" in said.err


# Law: predictions, other alphas and exports of a table that was read once are those of its model.
def test_read_once(ridgeway: Command, shop_csv: Path) -> None:
    assert ridgeway("fit", shop_csv, "--target", "price", "--memory", 0, "--model", "m").code == 0
    model = rw.load("m").at(0.3)
    assert ridgeway("predict", "m", shop_csv, "--out", "p.parquet", "--alpha", 0.3).code == 0
    told = pyarrow.parquet.read_table("p.parquet")["prediction"].to_numpy()
    np.testing.assert_array_equal(told, model.predict(shop_csv))
    assert ridgeway("export", "m", "--onnx", "m.onnx", "--alpha", 0.3).code == 0
    (predicted,) = onnxruntime.InferenceSession("m.onnx").run(None, {"X": model.encoder.transform(shop_table(50))})
    np.testing.assert_allclose(predicted[:, 0], model.predict(shop_table(50)), rtol=1e-5)


# Law: predictions of a streamed model at an alpha that rests on few rows come with a warning; its own have none.
def test_strong_alpha_of_a_stream(ridgeway: Command, shop_csv: Path) -> None:
    fitted = ridgeway("fit", shop_csv, "--target", "price", "--solver", "sgd", "--memory", 0, "--model", "m")
    assert fitted.code == 0
    for quiet in (("show", "m"), ("predict", "m", shop_csv, "--out", "p.csv")):
        assert "rests on" not in ridgeway(*quiet).err
    said = ridgeway("predict", "m", shop_csv, "--out", "p.csv", "--alpha", 100)
    assert said.code == 0
    assert "alpha=100 rests on about 1 row of this stream: until 100,000 rows have come" in said.err


# Law: every option reaches the fit.
def test_options(ridgeway: Command, shop_csv: Path) -> None:
    options = ["--drop", "day", "--drop", "used", "--weight", "weight", "--log-target", "--averaging", "tail:0.5"]
    said = ridgeway("fit", shop_csv, "--target", "price", "--passes", 2, *options, "--model", "m", "--quiet")
    assert said == (0, "", "")
    request = Request("price", "weight", log_target=True, drop=("day", "used"), averaging=rw.Tail(0.5), passes=2)
    with pytest.warns(UserWarning, match="nearest block edge"):
        fit_table(shop_csv, request).save("again")
    assert Path("m").read_bytes() == Path("again").read_bytes()
    said = ridgeway("fit", shop_csv, "--target", "price", "--only", "size", "--alpha", 0.5, "--memory", 0, "--json")
    assert said.code == 0
    told = json.loads(said.out)
    assert (told["alpha"], told["streamed"], told["features"], told["error"]) == (0.5, True, 2, None)


# Law: a kernel model is fitted, reported, shown and used as a linear one is, at any alpha; its options need a kernel.
def test_kernel(ridgeway: Command, tmp_path: Path) -> None:
    file = write_csv(shop_table(300), tmp_path / "few.csv")
    target = ["--target", "price"]
    said = ridgeway("fit", file, *target, "--kernel", "rbf", "--gamma", 0.1, "--model", "k", "--report", "k.html")
    assert said.code == 0
    assert "chosen among" in said.out
    assert "Which columns matter?" in Path("k.html").read_text(encoding="utf-8")
    model = rw.load("k")
    assert isinstance(model.model, rw.AveragedKernelRegressor)
    assert model.model.gamma_ == 0.1
    assert ridgeway("predict", "k", file, "--out", "p.parquet", "--alpha", 0.01).code == 0
    told = pyarrow.parquet.read_table("p.parquet")["prediction"].to_numpy()
    np.testing.assert_array_equal(told, model.at(0.01).predict(file))
    shown = ridgeway("show", "k").out
    assert "Kernel: rbf with gamma=0.1, a coefficient for each of " in shown
    assert "Solver: Krylov space (krylov), a few products with the kernel matrix" in shown
    assert re.search(r"The \d+ largest of \d+ effects of columns", shown)
    assert "shop=east" in shown
    assert ridgeway("predict", "k", file, "--out", "i.parquet", "--interval", 0.9).code == 0
    ends = pyarrow.parquet.read_table("i.parquet")
    np.testing.assert_array_equal(ends["prediction_low"].to_numpy(), model.predict_interval(file)[:, 0])
    said = ridgeway("fit", file, *target, "--kernel", "laplacian", "--components", 20, "--passes", 2, "--model", "c")
    assert said.code == 0
    assert rw.load("c").model.coef_.shape == (20,)
    for options, message in (
        (["--gamma", 0.1], "add --kernel rbf"),
        (["--components", 20], "add --kernel rbf"),
        (["--kernel", "rbf", "--components", 20, "--report", "c.html"], "leave out --report or --components"),
    ):
        said = ridgeway("fit", file, *target, *options)
        assert said.code == 2
        assert message in said.err
    said = ridgeway("fit", file, *target, "--kernel", "rbf", "--memory", 0)
    assert said.code == 1
    assert "--components 2000" in said.err


# Law: --json prints one object, --quiet nothing, before or after the name of the command.
def test_json_and_quiet(ridgeway: Command, shop_csv: Path, shop_model: Path) -> None:
    for arguments in (["--json", "show", shop_model], ["show", shop_model, "--json"]):
        told = json.loads(ridgeway(*arguments).out)
        assert (told["kind"], told["target"]) == ("TableModel", "price")
        assert len(told["coefficients"]) == len(told["features"])
    assert ridgeway("--quiet", "show", shop_model) == (0, "", "")
    told = json.loads(ridgeway("predict", shop_model, shop_csv, "--out", "p.csv", "--json").out)
    assert (told["rows"], told["ignored"]) == (3000, ["price"])
    assert "error" in json.loads(ridgeway("show", "missing", "--json").out)


# Law: another alpha or average of a saved model is what `at` answers, and equals a fit there.
def test_predict_elsewhere(ridgeway: Command, shop_csv: Path, shop_model: Path) -> None:
    model = rw.load(shop_model)
    averages = ("--alpha", 0.3, 0.3), ("--averaging", "uniform", "uniform"), ("--averaging", "tail:0", rw.Tail(0))
    for option, value, average in averages:
        assert ridgeway("predict", shop_model, shop_csv, "--out", "p.csv", option, value).code == 0
        predicted = pyarrow.csv.read_csv("p.csv")["prediction"].to_numpy()
        np.testing.assert_allclose(predicted, model.at(average).predict(shop_csv), rtol=1e-7)  # float32
    ridgeway("fit", shop_csv, "--target", "price", "--memory", 0, "--model", "auto")
    ridgeway("fit", shop_csv, "--target", "price", "--memory", 0, "--model", "given", "--alpha", 0.3)
    ridgeway("predict", "auto", shop_csv, "--out", "one.csv", "--alpha", 0.3)
    ridgeway("predict", "given", shop_csv, "--out", "other.csv")
    assert Path("one.csv").read_bytes() == Path("other.csv").read_bytes()


# Law: `show` says what there is to say about every kind of model.
def test_show(ridgeway: Command, shop_model: Path) -> None:
    said = ridgeway("show", shop_model, "--columns")
    assert said.code == 0
    for word in ("price", "shop=east", "averages, compared by", "largest of", "█", "category"):
        assert word in said.out
    X, y = problem(200, 3, targets=2)
    rw.ExactRidgePath(alpha=0.2).fit(X, y).save("exact")
    assert "Exact ridge path of 3 columns, at alpha=0.2" in ridgeway("show", "exact").out
    rw.AveragedSGDRegressor(averaging="last", passes=1).fit(X.astype(np.float32), y).save("plain")
    assert len(json.loads(ridgeway("show", "plain", "--json").out)["intercept"]) == 2
    assert "x1 (target 0)" in ridgeway("show", "plain").out
    Path("t.csv").write_text("x0,x1,x2\n1,2,3\n")
    said = ridgeway("predict", "plain", "t.csv")
    assert said.code == 1
    assert "saved in Python" in said.err


# Law: the exported model predicts what the model predicts, from encoded features.
def test_export(ridgeway: Command, shop_model: Path) -> None:
    said = ridgeway("export", shop_model, "--onnx", "m.onnx", "--alpha", 0.1)
    assert said.code == 0
    assert "encoded features" in said.out
    model, table = rw.load(shop_model).at(0.1), shop_table(50, seed=7)
    session = onnxruntime.InferenceSession("m.onnx")
    (predicted,) = session.run(None, {"X": model.encoder.transform(table)})
    np.testing.assert_allclose(predicted[:, 0], model.predict(table), rtol=1e-5)


# Law: `report` writes the page of every kind of model, by the names that its model has.
def test_report(ridgeway: Command, shop_model: Path) -> None:
    said = ridgeway("report", shop_model, "--out", "shop.html", "--json")
    assert said.code == 0
    assert json.loads(said.out) == {"model": str(shop_model), "report": "shop.html", "warnings": []}
    assert "price, learned from" in Path("shop.html").read_text(encoding="utf-8")
    X, y = problem(200, 3)
    frame = pd.DataFrame(X, columns=["height", "width", "depth"])
    rw.AveragedSGDRegressor(alpha=0.1, passes=1, random_state=0).fit(frame, y).save("plain")
    assert ridgeway("report", "plain", "--out", "plain.html").out == "Written: plain.html\n"
    assert "height" in Path("plain.html").read_text(encoding="utf-8")


# Law: a model that was saved in Python is exported with the columns that it knows, without a word on encoders.
def test_export_of_a_plain_model(ridgeway: Command) -> None:
    X, y = problem(200, 3)
    rw.ExactRidgePath(alpha=0.2).fit(X, y).save("exact")
    assert ridgeway("export", "exact", "--onnx", "m.onnx").out == "Written: m.onnx\n"
    told = json.loads(ridgeway("export", "exact", "--onnx", "m.onnx", "--json").out)
    assert (told["encoded_input"], told["features"]) == (False, ["x0", "x1", "x2"])


# Law: a table of nothing but known columns has none to ignore, and a model of tails no curve over alpha.
def test_nothing_to_say(ridgeway: Command, shop_csv: Path, tmp_path: Path) -> None:
    ridgeway("fit", shop_csv, "--target", "price", "--averaging", "tail", "--passes", 1, "--model", "tails")
    new = write_csv(shop_table(20).drop_columns(["price"]), tmp_path / "new.csv")
    said = ridgeway("predict", "tails", new, "--out", "p.csv")
    assert said.out == "20 rows predicted to p.csv; the last column is 'prediction'.\n"
    said = ridgeway("show", "tails")
    assert "averages, compared by" in said.out
    assert "Error of geometric averages" not in said.out


# Law: `demo` chooses an average that beats the mean, tells every strength beside exact ridge, and writes the report.
def test_demo(ridgeway: Command) -> None:
    said = ridgeway("demo", "--out", "demo.html")
    assert said.code == 0
    for words in ("261,877 flights to fit", "<- chosen", "exact ridge", "path of 1,000 alphas", "demo.html"):
        assert words in said.out
    found = re.search(r"Test error \(RMSE\) ([\d.]+) minutes; always predicting the mean: ([\d.]+)\.", said.out)
    assert found is not None
    assert float(found[1]) < float(found[2])
    assert "Flights out of New York" in Path("demo.html").read_text(encoding="utf-8")
    rows = re.findall(r"^ +([\d.]+) +[\d.]+ +[\d.]+ +([\d.]+) *$", said.out, re.MULTILINE)
    ratios = {float(alpha): float(ratio) for alpha, ratio in rows}
    assert set(ratios) == {1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0}
    assert max(ratios.values()) < 1.02


# Law: `paper` says how its claims came out and where that stands; --json gives the results by number.
def test_paper(ridgeway: Command) -> None:
    said = ridgeway("paper", "--out", "folder", "--only", 28, "--only", 1, "--quick")
    assert said.code == 0
    assert said.out.splitlines() == [
        "2 items: 1 holds, 1 holds as corrected.", "folder/paper.html", "folder/paper.json"
    ]  # fmt: skip
    assert "2 items: 1 holds" in Path("folder/paper.html").read_text(encoding="utf-8")
    told = json.loads(ridgeway("paper", "--out", "folder", "--only", 1, "--quick", "--json").out)
    assert told["results"] == {"1": "holds"}
    assert told["page"] == "folder/paper.html"
    assert ridgeway("paper", "--out", "folder", "--only", 43).code == 1


# Law: if a check fails unexpectedly, `paper` ends with 1 and names the item.
def test_paper_that_fails(ridgeway: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = rw.ExactRidgePath.path
    monkeypatch.setattr(rw.ExactRidgePath, "path", lambda self, alphas: exact(self, [1.001 * a for a in alphas]))
    said = ridgeway("paper", "--out", "folder", "--only", 15, "--quick")
    assert said.code == 1
    assert "Error: a corrected statement or the library failed a check in item 15" in said.err


# Law: without click, `ridgeway` says what to install; another module that is missing is not blamed on it.
def test_without_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ridgeway.cli.commands")
    monkeypatch.setitem(sys.modules, "click", None)
    with pytest.raises(SystemExit, match=r"the command line needs click: pip install 'ridgeway\[cli\]'"):
        main()
    monkeypatch.setitem(sys.modules, "json", None)
    with pytest.raises(ModuleNotFoundError, match="json"):
        main()


# Law: usage errors end with 2 and say what was expected.
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["predict", "m"], "Missing argument 'DATA'"),
        (["fit", "t.csv", "--averaging", "tale"], "expected auto, geometric, tail"),
        (["fit", "t.csv", "--averaging", "tail:1.5"], "out of range"),
        (
            ["fit", "t.csv", "--averaging", "tail:1,2"],
            "got 2 numbers, expected 1 (start), such as tail:0.9",
        ),
        (["fit", "t.csv", "--averaging", "last:1"], "'last:1': got 1 number, expected just last"),
        (["fit", "t.csv", "--passes", "many"], "expected int or auto"),
        (["fit", "t.csv", "--nonsense"], "No such option"),
        (["predict", "m", "t.csv", "--alpha", "1", "--averaging", "last"], "expected one of them"),
        (["predict", "m", "t.csv", "--json"], "add --out FILE"),
        (["predict", "m", "t.csv", "--averaging", "tail"], "is a family, not one average"),
        (["fit", "t.csv", "--target", "y", "--model", "x.pkl"], "in .safetensors; give --model x.safetensors"),
        (["nothing"], "No such command 'nothing': expected one of fit, predict, evaluate"),
        (["evaluat", "m", "t.csv"], "No such command 'evaluat': did you mean 'evaluate'?"),
    ],
)
def test_usage(arguments: list[str], said: str, ridgeway: Command) -> None:
    answer = ridgeway(*arguments)
    assert answer.code == 2
    assert said in answer.err


# Law: as a process: predictions go to standard output, words to standard error; a reader may leave early.
def test_pipe(shop_csv: Path, shop_model: Path, tmp_path: Path) -> None:
    said = finish(start("predict", shop_model, shop_csv, folder=tmp_path))
    assert said.code == 0
    assert said.out.splitlines()[0].endswith('"prediction"')
    assert len(said.out.splitlines()) == 3001
    assert "3,000 rows predicted to standard output" in said.err
    many = write_csv(shop_table(40_000), tmp_path / "many.csv")
    process = start("predict", shop_model, many, folder=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline().startswith('"size"')
    process.stdout.close()
    process.stdout = None
    said = finish(process)
    assert (said.code, said.err) == (0, "")


# Law: a reader that closes the pipe early is no error.
def test_closed_pipe(shop_model: Path) -> None:
    command = [sys.executable, "-m", "ridgeway", "show", str(shop_model)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 0
