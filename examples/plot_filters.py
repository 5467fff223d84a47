"""
What an average does to each direction
======================================

Averages are filters: of every eigen-direction of the data they leave a part unlearned. Geometric averages leave what
ridge leaves. A tail average forgets the start altogether, so it leaves less of the strong directions than ridge does.
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
