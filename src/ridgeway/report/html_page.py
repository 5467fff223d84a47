"""One HTML page from a template, a script and data: it holds everything that it shows and loads nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib import import_module
from importlib.resources import files
from typing import Any

from ridgeway.messages.number_text import number
from ridgeway.report.plot_parts import bokeh

# Characters that could end a script element, or a line of script, inside JSON.
ESCAPED = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def html_page(name: str, data: Any, **content: Any) -> str:
    """Return a page. All texts are escaped, and a content security policy allows only its two scripts.

    Parameters
    ----------
    name : of the template and the script: ``name.html`` fills ``frame.html``, ``name.js`` follows ``plots.js``.
    data : what the script reads, for JSON.
    **content : what the template shows, with title, headline, tiles, facts and facts_title for the frame.
    """
    library = bokeh("resources").Resources(mode="inline", components=["bokeh"]).js_raw[0]
    script = _part("plots.js") + _part(f"{name}.js")
    jinja = import_module("jinja2")
    environment = jinja.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=jinja.FunctionLoader(_part)
    )
    environment.filters["number"] = number
    page: str = environment.get_template(f"{name}.html").render(
        **content,
        style=_part("page.css"),
        library=library,
        script=script,
        allowed=f"'{_digest(library)}' '{_digest(script)}'",
        data=json.dumps(data, allow_nan=False, separators=(",", ":")).translate(ESCAPED),
    )
    return page


def _part(name: str) -> str:
    return files("ridgeway.report").joinpath(name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
