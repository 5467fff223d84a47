"""Configuration of the documentation: `make docs` builds it offline, and warnings are errors."""

from __future__ import annotations

import tomllib
from pathlib import Path

import ridgeway

PYPROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))

project = "ridgeway"
author = "The ridgeway developers"
project_copyright = "The ridgeway developers"
release = version = ridgeway.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_gallery.gen_gallery",
]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
suppress_warnings = ["config.cache", "ref.python"]

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "plot_gallery": True,
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 3600,
    "write_computation_times": False,  # its page would load scripts from the network
}

html_theme = "pydata_sphinx_theme"
html_title = "ridgeway"
html_static_path = ["_static"]
html_css_files = ["ridgeway.css"]
html_show_sourcelink = False
html_theme_options = {
    "github_url": PYPROJECT["project"]["urls"]["Source"],
    "show_toc_level": 2,
    "navbar_align": "left",
    "navigation_with_keys": False,
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
    "footer_start": ["copyright"],
    "footer_end": [],
}
ALONE = (
    "index", "install", "start", "which_estimator", "coming_from", "why", "architecture", "benchmarks", "changelog",
    "compatibility", "faq", "paper_corrected", "open_questions", "glossary", "releasing", "troubleshooting",
)  # fmt: skip
html_sidebars = {page: [] for page in ALONE}


def _as_plain_text(app, what, name, obj, options, lines):
    """Escape the bars of |x|^2, which docstrings use as mathematics does, and references into other projects."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith((">>>", "...")):
            lines[number] = line.replace("|", r"\|").replace(":ref:`", "`")


def setup(app):
    """Connect the hook."""
    app.connect("autodoc-process-docstring", _as_plain_text, priority=1000)
