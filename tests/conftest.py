"""One profile of Hypothesis for all tests: examples are the same in every run, and no test has a time limit."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("ridgeway", derandomize=True, deadline=None)
settings.load_profile("ridgeway")
