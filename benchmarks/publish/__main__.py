"""Write tables and plots of the documentation from the stored results: `python -m benchmarks.publish`."""

from __future__ import annotations

from benchmarks.publish.pages import PAGES, ROOT, filled
from benchmarks.publish.plots import PLOTS, save
from benchmarks.publish.results import NotMeasured, Results


def main() -> None:
    """Fill the pages and draw the plots."""
    results = Results.read()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        page.write_text(filled(text, results), encoding="utf-8")
        print(page.relative_to(ROOT))
    for name, draw in PLOTS.items():
        path = ROOT / "docs" / "_static" / f"{name}.svg"
        try:
            save(draw(results), path)
        except NotMeasured as suite:
            print(f"{path.relative_to(ROOT)} stays as it is: {suite} was not measured")
            continue
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
