"""The claims of the paper, each as a computation whose evidence decides whether it holds.

The paper is Neu and Rosasco, "Iterate averaging as regularization for stochastic gradient descent" (COLT 2018).
`run` checks all claims and writes a page and a table; so does `python -m ridgeway.paper --out DIR`.
"""

from ridgeway.paper.claim import Claim, Context, Evidence, Finding, Form, Kind, Result
from ridgeway.paper.registry import CLAIMS, claims_of
from ridgeway.paper.verification import Report, run

__all__ = ["CLAIMS", "Claim", "Context", "Evidence", "Finding", "Form", "Kind", "Report", "Result", "claims_of", "run"]
