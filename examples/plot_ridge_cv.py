"""
Is it the same as RidgeCV?
==========================

`RidgePathCV` selects the strength of exact ridge, as scikit-learn's `RidgeCV` does, without a grid. Here both select by
leave-one-out error, on 442 patients with diabetes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.linear_model import RidgeCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import ridgeway as rw

X, y = load_diabetes(return_X_y=True)
ours = rw.RidgePathCV(cv="loo").fit(X, y)
theirs = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 5, 200))).fit(X, y)
print(f"alpha of ridgeway {ours.alpha_:.4f}, of RidgeCV divided by n {theirs[-1].alpha_ / len(X):.4f}")
print(f"largest difference of predictions: {np.abs(ours.predict(X) - theirs.predict(X)).max():.3f} of {y.std():.0f}")

# %%
# RidgeCV takes the best of a grid. We find the strength between the points of a grid, and keep all others.
alphas = np.logspace(-4, 2, 60)
predicted = ours.predict_path(X, alphas)
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
axes.semilogx(alphas, ((predicted - y[:, None]) ** 2).mean(axis=0), label="error on the training rows")
axes.axvline(ours.alpha_, color="tab:orange", label="selected by leave-one-out")
axes.set_xlabel("alpha")
axes.set_ylabel("mean squared error")
axes.legend()
