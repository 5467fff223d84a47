"""The report of a fit: one HTML file that needs nothing else. Summarize first, then render."""

from ridgeway.report.model_summary import summarize
from ridgeway.report.summary import ReportSummary
from ridgeway.report.write import render, write_report

__all__ = ["ReportSummary", "render", "summarize", "write_report"]
