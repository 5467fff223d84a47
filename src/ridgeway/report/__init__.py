"""The report of a fit: one self-contained HTML file. `summarize` collects its content, `render` makes the page."""

from ridgeway.report.model_summary import summarize
from ridgeway.report.summary import ReportSummary
from ridgeway.report.write import render, write_report

__all__ = ["ReportSummary", "render", "summarize", "write_report"]
