"""`ridgeway export`: the selected model in other formats."""

from __future__ import annotations

from typing import Any

import click

from ridgeway.cli.average_option import Average, require_one
from ridgeway.cli.console import Console
from ridgeway.cli.console import command as make_command


@make_command()
@click.argument("model")
@click.option("--onnx", metavar="FILE", required=True, help="The ONNX file to write.")
@click.option("--alpha", type=float, help="Export another ridge strength.")
@click.option("--averaging", type=Average(), help="Export another average: tail:0.5, uniform, last, ...")
def command(console: Console, model: str, onnx: str, alpha: float | None, averaging: Any) -> None:
    """Export the selected model to ONNX: one matrix product over the features.

    A model of a table is exported without its encoder. Its inputs are the encoded features; the file holds their
    names.
    """
    from ridgeway.cli.command_files import command_files
    from ridgeway.cli.reading_models import load_model, parts_of

    average = require_one(alpha, averaging)
    with command_files({"MODEL": model}, {"--onnx": onnx}) as files:
        loaded = load_model(files["MODEL"])

    from ridgeway.storage import export_onnx

    estimator, table, names = parts_of(loaded if average is None else loaded.at(average))
    encoded = table is not None and table.encoder is not None
    log_target = table is not None and table.log_target
    dtype = None if table is None or table.encoder is None else table.encoder.dtype_
    export_onnx(estimator, onnx, feature_names=names, exponential=log_target, dtype=dtype)
    console.say(f"Written: {onnx}")
    if encoded:
        console.say(
            f"The exported model takes the {len(names):,} encoded features, not the columns of the table: encode rows "
            "with ridgeway.load(MODEL).encoder.transform(table)."
        )
    console.result({"model": model, "onnx": onnx, "encoded_input": encoded, "features": names})
