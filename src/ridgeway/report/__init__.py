"""Reports of fits and of evaluations, one self-contained HTML file each."""

from ridgeway.report.evaluation_page import render_evaluation, write_evaluation
from ridgeway.report.report_summary import ReportSummary
from ridgeway.report.summarizing import summarize
from ridgeway.report.write import render, write_report

__all__ = ["ReportSummary", "render", "render_evaluation", "summarize", "write_evaluation", "write_report"]
