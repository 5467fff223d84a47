"""`ridgeway evaluate`, intervals of `predict`, and the test rows of `fit`."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.cli.command import Command
from tests.tables.shop import shop_table, write_csv

import ridgeway as rw
from ridgeway.messages.number_text import number
from ridgeway.tables import Request, fit_table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# Law: the command prints what `evaluate` finds, as text and as JSON.
def test_evaluate(ridgeway: Command, shop_model: Path, tmp_path: Path) -> None:
    new = write_csv(shop_table(seed=1), tmp_path / "new.csv")
    found = rw.evaluate(rw.load(shop_model), new, by="shop")
    said = ridgeway("evaluate", shop_model, new, "--by", "shop")
    assert said.code == 0, said.err
    for sentence in found.sentences():
        assert sentence in said.out
    assert "By tenths of the prediction" in said.out
    assert "By shop" in said.out
    said = ridgeway("evaluate", shop_model, new, "--by", "shop", "--json")
    values = json.loads(said.out)
    assert values["rmse"] == found.metrics.rmse.tolist()
    assert values["intervals"]["covered"] == pytest.approx([0.9], abs=0.05)
    assert len(values["groups"]) == len(found.groups)
    other = json.loads(ridgeway("evaluate", shop_model, new, "--alpha", 5, "--json").out)
    assert other["rmse"][0] > values["rmse"][0]


# Law: `--report` writes the page of what is printed, and a failure leaves the file of before.
def test_evaluate_report(ridgeway: Command, shop_model: Path, shop_csv: Path) -> None:
    said = ridgeway("evaluate", shop_model, shop_csv, "--by", "shop", "--report", "e.html", "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["report"] == "e.html"
    page = Path("e.html").read_text(encoding="utf-8")
    assert f"<h1>{shop_model.name} on {shop_csv}</h1>" in page
    for sentence in rw.evaluate(rw.load(shop_model), shop_csv).sentences():
        assert sentence in page
    said = ridgeway("evaluate", shop_model, shop_csv, "--by", "shp", "--report", "e.html")
    assert said.code == 1
    assert Path("e.html").read_text(encoding="utf-8") == page


# Law: wrong columns and coverages get the command line's own errors.
def test_evaluate_refuses(ridgeway: Command, shop_model: Path, shop_csv: Path) -> None:
    for arguments, message, code in (
        (("--by", "shp"), "shp", 1),
        (("--interval", "1"), "--interval 1: expected a share", 2),
        (("--interval", "x"), "x", 2),
        (("--alpha", "1", "--averaging", "last"), "both given", 2),
    ):
        said = ridgeway("evaluate", shop_model, shop_csv, *arguments)
        assert said.code == code, said
        assert message in said.err
    shop = shop_table()
    without = write_csv(shop.drop_columns(["price"]), Path("without.csv"))
    said = ridgeway("evaluate", shop_model, without)
    assert said.code == 1
    assert "price" in said.err


# Law: `predict --interval` adds two columns, the ends that the model gives, and tells how to evaluate known targets.
@pytest.mark.parametrize("options", [(), ("--normalized",)])
def test_predict_interval(ridgeway: Command, shop_model: Path, shop_csv: Path, options: tuple[str, ...]) -> None:
    said = ridgeway("predict", shop_model, shop_csv, "--out", "p.parquet", "--interval", 0.8, *options)
    assert said.code == 0, said.err
    assert "ridgeway evaluate" in said.out
    table = pyarrow.parquet.read_table("p.parquet")
    assert table.column_names[-3:] == ["prediction", "prediction_low", "prediction_high"]
    expected = rw.load(shop_model).predict_interval(shop_csv, 0.8, normalized=bool(options))
    ends = np.column_stack([table["prediction_low"].to_numpy(), table["prediction_high"].to_numpy()])
    np.testing.assert_array_equal(ends, expected)
    actual = table["price"].to_numpy()
    inside = (ends[:, 0] <= actual) & (actual <= ends[:, 1])
    assert abs(inside[np.isfinite(actual)].mean() - 0.8) < 0.06


# Law: intervals that cannot be given are refused before anything is written.
def test_predict_refuses(ridgeway: Command, shop_model: Path, shop_csv: Path) -> None:
    for arguments, code in ((("--interval", "0"), 2), (("--normalized",), 2), (("--interval", "0.99999"), 1)):
        said = ridgeway("predict", shop_model, shop_csv, "--out", "p.csv", *arguments)
        assert said.code == code, said
        assert "expected" in said.err or "needs intervals" in said.err
        assert not Path("p.csv").exists()


# Law: `fit --test` evaluates on the file: the model is that of a fit without it.
def test_fit_with_test_file(ridgeway: Command, shop_csv: Path) -> None:
    new = write_csv(shop_table(seed=1), Path("new.csv"))
    options = ("--target", "price", "--passes", 3)
    plain = ridgeway("fit", shop_csv, *options, "--model", "a.safetensors")
    said = ridgeway("fit", shop_csv, *options, "--model", "b.safetensors", "--test", new, "--json")
    assert plain.code == said.code == 0, said.err
    assert Path("a.safetensors").read_bytes() == Path("b.safetensors").read_bytes()
    assert json.loads(said.out)["test"]["rmse"] == rw.evaluate(rw.load("a.safetensors"), new).metrics.rmse.tolist()


# Law: with a report, the page of the test rows is written beside it, before anything is read if it cannot be.
def test_page_of_test_rows(ridgeway: Command, shop_csv: Path) -> None:
    new = write_csv(shop_table(seed=1), Path("new.csv"))
    said = ridgeway("fit", shop_csv, "--target", "price", "--report", "r.html", "--test", new, "--json")
    assert said.code == 0, said.err
    values = json.loads(said.out)
    assert (values["report"], values["test_report"]) == ("r.html", "r-test.html")
    page = Path("r-test.html").read_text(encoding="utf-8")
    assert f"<b>{values['test']['rows']:,}" in page or f"<dd>{values['test']['rows']:,}</dd>" in page
    assert "price, learned from shop.csv: the rows of new.csv" in page
    Path("s-test.html").mkdir()
    said = ridgeway("fit", shop_csv, "--target", "price", "--report", "s.html", "--test", new)
    assert said.code != 0
    assert "s-test.html" in said.err
    assert not Path("s.html").exists()


# Law: a share held back is not learned from and is evaluated: random rows, or the last ones by time.
@pytest.mark.parametrize("time", [(), ("--time", "day")])
def test_fit_with_test_share(ridgeway: Command, shop_csv: Path, time: tuple[str, ...]) -> None:
    arguments = ("fit", shop_csv, "--target", "price", "--passes", 3, "--test-share", 0.2, *time)
    said = ridgeway(*arguments, "--model", "m.safetensors", "--json")
    assert said.code == 0, said.err
    values = json.loads(said.out)
    test = values["test"]
    assert values["rows"] + values["left_out"] + test["rows"] + test["left_out"] == 3000
    assert test["rows"] == pytest.approx(600, abs=60)
    assert test["intervals"]["covered"] == pytest.approx([0.9], abs=0.05)
    assert f"{shop_csv.name}: " in ridgeway(*arguments).out
    assert rw.load("m.safetensors").predict(shop_csv).shape == (3000,)


# Law: the report of the model states what its test rows gave and links their page; with a time, report and terminal
# say that the last rows are to be trusted.
@pytest.mark.parametrize("time", [(), ("--time", "day")])
def test_report_states_the_test(ridgeway: Command, shop_csv: Path, time: tuple[str, ...]) -> None:
    Path("out").mkdir()
    options = ("--target", "price", "--test-share", 0.2, *time, "--report", "out/a report.html")
    said = ridgeway("fit", shop_csv, *options)
    assert said.code == 0, said.err
    page = Path("out/a report.html").read_text(encoding="utf-8")
    test = json.loads(ridgeway("fit", shop_csv, *options, "--json").out)["test"]
    result = f"R² {test['r2'][0]:.3f}, typical error {number(test['rmse'][0])}, "
    assert result + f"{100 * test['intervals']['covered'][0]:.1f}% within intervals of coverage 90%." in page
    assert '<a href="a%20report-test.html">' in page
    assert f"<dd>{test['r2'][0]:.3f}</dd>" in page
    assert Path("out/a report-test.html").exists()
    assert ("trust the result of these last rows" in page) == bool(time)
    assert ("trust the result of these last rows" in " ".join(said.out.split())) == bool(time)


# Law: `fit --by` groups the test rows, on the terminal and on their page.
def test_fit_by(ridgeway: Command, shop_csv: Path) -> None:
    options = ("--target", "price", "--test-share", 0.2, "--by", "shop")
    said = ridgeway("fit", shop_csv, *options, "--report", "r.html")
    assert said.code == 0, said.err
    assert "By shop" in said.out
    assert "Errors by shop" in Path("r-test.html").read_text(encoding="utf-8")
    said = ridgeway(
        "fit", shop_csv, "--target", "price", "--test-share", 0.2, "--by", "shp", "--model", "m.safetensors"
    )
    assert said.code == 1
    assert "shp" in said.err
    assert shop_csv.name in said.err
    assert not Path("m.safetensors").exists()


# Law: test rows that cannot be evaluated do not cost the model.
def test_failed_test_keeps_the_model(ridgeway: Command, shop_csv: Path) -> None:
    without = write_csv(shop_table().drop_columns(["price"]), Path("without.csv"))
    said = ridgeway("fit", shop_csv, "--target", "price", "--test", without, "--model", "m.safetensors")
    assert said.code == 1
    assert "price" in said.err
    assert rw.load("m.safetensors").predict(without).shape == (3000,)


# Law: options that contradict each other are refused before anything is read.
def test_fit_refuses(ridgeway: Command, shop_csv: Path) -> None:
    for arguments, message in (
        (("--test", shop_csv, "--test-share", 0.2), "both given"),
        (("--test-share", 1.5), "--test-share 1.5: expected a share"),
        (("--time", "day"), "add --test-share"),
        (("--by", "shop"), "add --test-share"),
        (("--test-share", 0.2, "--checkpoint", "c"), "cannot be combined with --checkpoint: it fits a temporary copy"),
    ):
        said = ridgeway("fit", shop_csv, "--target", "price", *arguments)
        assert said.code == 2, said
        assert message in said.err
    said = ridgeway("fit", shop_csv, "--target", "price", "--test-share", 0.2, "--time", "dya")
    assert said.code == 1
    assert "dya" in said.err


# Law: `show` prints the intervals of the coefficients that a fit by Gram matrices has saved, as before it was saved.
def test_show_intervals(ridgeway: Command) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    model = rw.RidgePathCV(random_state=0).fit(X, X @ [1.0, 2.0, 0.0] + rng.standard_normal(200))
    model.save("m.safetensors")
    loaded = rw.load("m.safetensors")
    np.testing.assert_array_equal(loaded.coef_interval(), model.coef_interval())
    with pytest.raises(ValueError, match="pass them"):
        loaded.at(5.0).coef_interval()
    said = ridgeway("show", "m.safetensors")
    assert "95% interval" in said.out
    assert "population ridge coefficient" in said.out
    values = json.loads(ridgeway("show", "m.safetensors", "--json").out)
    np.testing.assert_allclose(values["coefficient_intervals"], [model.coef_interval()])


# Law: `show` says why a model has no intervals of coefficients, and how to get them.
@pytest.mark.parametrize(("solver", "title"), [("krylov", "Krylov"), ("sgd", "averaged SGD")])
def test_show_without_intervals(ridgeway: Command, shop_csv: Path, solver: str, title: str) -> None:
    fit = "fit", shop_csv, "--target", "price", "--quiet"
    assert ridgeway(*fit, "--solver", solver, "--model", "m").code == 0
    (line,) = (line for line in ridgeway("show", "m").out.splitlines() if line.startswith("No intervals"))
    assert title in line
    assert "fit with --solver gram" in line
    assert ridgeway(*fit, "--solver", "gram", "--model", "g").code == 0
    assert "No intervals" not in ridgeway("show", "g").out


# Law: `show` names the size of the file and what else it holds; averages of exact solvers are not offered.
def test_show_size(ridgeway: Command, shop_model: Path, shop_csv: Path) -> None:
    size = f"The file ({number(shop_model.stat().st_size / 1e6, 2)} MB) holds every other alpha"
    assert f"{size} and tail: use predict --alpha or --averaging." in ridgeway("show", shop_model).out
    assert ridgeway("fit", shop_csv, "--target", "price", "--solver", "gram", "--model", "g").code == 0
    assert "MB) holds every other alpha: use predict --alpha." in ridgeway("show", "g").out


# Law: the command that `predict` suggests evaluates the same rows when it is pasted, with quotes and the same table.
@pytest.mark.parametrize("options", [("--table", "my orders"), ("--query", "SELECT * FROM 'my orders'")])
def test_suggested_evaluation(ridgeway: Command, shop_csv: Path, options: tuple[str, ...]) -> None:
    with sqlite3.connect("my shop.sqlite") as connection:
        pd.read_csv(shop_csv).to_sql("my orders", connection)
        pd.DataFrame({"other": [1]}).to_sql("other", connection)
    connection.close()
    fit_table(shop_csv, Request(target="price", alpha=0.1)).save("my model")
    said = ridgeway("predict", "my model", "my shop.sqlite", *options, "--out", "p.csv")
    (line,) = (line for line in said.out.splitlines() if "ridgeway evaluate" in line)
    words = shlex.split(line.partition("run ")[2])
    assert words == ["ridgeway", "evaluate", "my model", "my shop.sqlite", *options]
    said = ridgeway(*words[1:], "--report", "r.html")
    assert said.code == 0, said.err
    named = "my orders" if options[0] == "--table" else "query"
    assert f"<h1>my model on my shop.sqlite ({named})</h1>" in Path("r.html").read_text(encoding="utf-8")


# Law: rows of another kind, where intervals hold far fewer rows than asked for, are said to differ; where predictions
# are biased, wider intervals are not suggested.
def test_rows_that_differ(ridgeway: Command) -> None:
    x, noise = np.random.default_rng(0).uniform(0, 1, 4000), np.random.default_rng(1).standard_normal(4000)
    write_csv(pa.table({"x": x[:2000], "y": (10 * x + noise)[:2000]}), Path("t.csv"))
    write_csv(pa.table({"x": x[2000:], "y": (10 * x + noise)[2000:]}), Path("alike.csv"))
    write_csv(pa.table({"x": x[2000:], "y": (10 * x + noise + 9 * (x > 0.7))[2000:]}), Path("other.csv"))
    assert ridgeway("fit", "t.csv", "--target", "y", "--model", "m").code == 0
    said = ridgeway("evaluate", "m", "other.csv", "--report", "r.html")
    words = r"Only 6\d\.\d% of the targets lie within the 90% intervals: these rows differ from those of the fit\."
    for text in (said.out, Path("r.html").read_text(encoding="utf-8")):
        assert re.search(words, text)
    assert "--normalized" not in said.out
    assert re.search(r"predictions there are biased, with a mean of \d\.\d+ where the mean of the actual", said.out)
    assert "these rows differ" not in ridgeway("evaluate", "m", "alike.csv").out


# Law: whole numbers with missing ones among them name groups as whole numbers, in their order.
def test_groups_of_numbers(ridgeway: Command) -> None:
    rng = np.random.default_rng(0)
    hour = [None, *([2.0] * 20), *([10.0] * 60), *([3.0] * 40)]
    write_csv(pa.table({"x": rng.uniform(size=121), "hour": hour, "y": rng.uniform(size=121)}), Path("t.csv"))
    assert ridgeway("fit", "t.csv", "--target", "y", "--model", "m", "--quiet").code == 0
    said = ridgeway("evaluate", "m", "t.csv", "--by", "hour", "--report", "r.html")
    table = said.out.partition("By hour")[2]
    assert re.findall(r"^  (\S+) ", table, re.MULTILINE)[1:5] == ["2", "3", "10", "(missing)"]
    assert "The typical error of each group, by value." in Path("r.html").read_text(encoding="utf-8")


# Law: the rows of a file given with --test are called that, as the model may have learned from them; rows held back
# by time are called the last ones.
def test_names_of_test_rows(ridgeway: Command, shop_csv: Path) -> None:
    new = write_csv(shop_table(300, seed=1), Path("new.csv"))
    fit = "fit", shop_csv, "--target", "price", "--report", "r.html"
    said = ridgeway(*fit, "--test", new)
    assert "On the rows of new.csv:" in said.out
    assert "not learned from" not in said.out
    assert "<small>of new.csv</small>" in Path("r.html").read_text(encoding="utf-8")
    page = Path("r-test.html").read_text(encoding="utf-8")
    assert "price, learned from shop.csv: the rows of new.csv</h1>" in page
    assert "only if the model has learned from none of the rows" in page
    said = ridgeway(*fit, "--test-share", 0.2, "--time", "day")
    assert "On the test rows, which were not learned from:" in said.out
    assert re.search(r"90% of rows from the times of the fit lie within .*; later rows may lie further", said.out)
    assert "new rows like these" not in said.out
    page = Path("r-test.html").read_text(encoding="utf-8")
    assert "price, learned from shop.csv: the test rows, the last by day</h1>" in page
    assert "only if the model has learned from none of the rows" not in page


# Law: `--normalized` checks the intervals of `predict --normalized`; it is suggested where plain ones cover a tenth
# badly. On a table of the name of the fit it says that learned rows have smaller errors.
def test_normalized(ridgeway: Command) -> None:
    x = np.random.default_rng(0).uniform(0, 1, 4000)
    y = 10 * x + x**3 * 5 * np.random.default_rng(1).standard_normal(4000)
    write_csv(pa.table({"x": x[:2000], "y": y[:2000]}), Path("t.csv"))
    write_csv(pa.table({"x": x[2000:], "y": y[2000:]}), Path("new.csv"))
    assert "--normalized" in ridgeway("fit", "t.csv", "--target", "y", "--model", "m", "--test", "new.csv").out
    said = ridgeway("evaluate", "m", "new.csv")
    assert "--normalized" in said.out
    assert "smaller than those of new rows" not in " ".join(said.out.split())
    said = ridgeway("evaluate", "m", "new.csv", "--normalized")
    assert "with --normalized" not in said.out
    assert "smaller than those of new rows" in " ".join(ridgeway("evaluate", "m", "t.csv").out.split())


# Law: rows need not be sorted for `--time`, with dates that begin with the day, in a column that the model dropped.
def test_evaluate_in_the_order_of_time(ridgeway: Command) -> None:
    n = 300
    day = np.random.default_rng(0).permutation(n)
    dates = [(date(2011, 1, 1) + timedelta(days=int(i))).strftime("%d/%m/%Y") for i in day]
    y = np.sin(day / 20.0)
    write_csv(pa.table({"day": dates, "x": y + 1, "y": y}), Path("t.csv"))
    assert ridgeway("fit", "t.csv", "--target", "y", "--drop", "day", "--model", "m").code == 0
    said = ridgeway("evaluate", "m", "t.csv", "--time", "day", "--json")
    assert said.code == 0, said.err
    in_order = y[np.argsort(day)]
    expected = np.sqrt(np.mean(np.diff(in_order) ** 2))
    assert json.loads(said.out)["rmse_of_last"] == pytest.approx([expected])


# Law: of a model of logarithms `fit` says which numbers are of logarithms, and gives both scales for the test rows.
def test_logarithms(ridgeway: Command, shop_csv: Path) -> None:
    options = ("--target", "price", "--log-target", "--test-share", 0.2, "--report", "r.html")
    said = ridgeway("fit", shop_csv, *options)
    assert said.code == 0, said.err
    text = " ".join(said.out.split())
    assert "R^2 of the logarithms 0." in text
    assert "Errors of their logarithms, which the model predicts: R^2 0." in text
    assert "of the logarithms" in Path("r.html").read_text(encoding="utf-8")
    page = Path("r-test.html").read_text(encoding="utf-8")
    assert "Both axes are logarithmic." in page
    assert "These are the errors of new rows only if" not in page


# Law: errors about rows that were held back name the user's file.
def test_few_rows_to_split(ridgeway: Command) -> None:
    write_csv(pa.table({"x": [1.0, 2.0], "y": [1.0, 2.0]}), Path("two.csv"))
    for seed in range(8):
        said = ridgeway("fit", "two.csv", "--target", "y", "--test-share", 0.5, "--seed", seed)
        assert "feather" not in said.err
        assert said.code == 0 or "two.csv" in said.err


# Law: rows of one time stay together, and the output says so where that makes the test larger than asked for.
def test_ties_of_time(ridgeway: Command) -> None:
    rng = np.random.default_rng(0)
    months = np.repeat(["Jan-2018", "Feb-2018", "Mar-2018"], 200)
    table = pa.table({"month": months, "x": rng.standard_normal(600), "y": rng.standard_normal(600)})
    write_csv(table, Path("t.csv"))
    said = ridgeway("fit", "t.csv", "--target", "y", "--test-share", 0.2, "--time", "month")
    assert "200 of 600 rows are held back for a test, the last by 'month' (33% instead of 20%, " in said.out
    write_csv(table.set_column(0, "month", pa.array(np.arange(600))), Path("t.csv"))
    said = ridgeway("fit", "t.csv", "--target", "y", "--test-share", 0.2, "--time", "month")
    assert "120 of 600 rows are held back for a test, the last by 'month'.\n" in said.out
