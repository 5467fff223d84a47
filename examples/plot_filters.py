"""
What an average does to each direction
======================================

An average is a filter: it learns a share of every eigen-direction of the data. A geometric average learns the same shares
as ridge. A tail average forgets the start completely, so it learns more of the strong directions than ridge.
"""

import matplotlib.pyplot as plt
import numpy as np

import ridgeway as rw

rng = np.random.default_rng(0)
X = rng.standard_normal((20_000, 30)) / np.arange(1, 31)
y = X @ rng.standard_normal(30) + rng.standard_normal(20_000)
model = rw.AveragedSGDRegressor(scale=False, passes=1, alpha=0.01, random_state=0).fit(X, y)

figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
rw.FilterDisplay.from_estimator(model, schemes=[rw.Geometric(0.01), rw.Tail(0.5), rw.Last()], ax=axes)
