"""Evaluation of a fitted model on rows whose targets are known: errors, coverage, calibration, groups, every alpha."""

from ridgeway.evaluation.evaluation_result import Evaluation
from ridgeway.evaluation.model_evaluation import evaluate

__all__ = ["Evaluation", "evaluate"]
