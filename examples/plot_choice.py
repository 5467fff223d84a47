"""
Which average predicts best?
============================

Ridge, the mean of the last part of a run, or its last iterate: all of them are averages of the same run, so they can be
compared on the same held-out rows. Here the target is the progression of diabetes in 442 patients.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import ridgeway as rw

X, y = load_diabetes(return_X_y=True, as_frame=True)
model = rw.AveragedSGDRegressor(random_state=0).fit(X, y)
print(model.selection_)

# %%
# The error of every candidate with its standard error, on one axis.
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
rw.SelectionDisplay.from_estimator(model, ax=axes)

# %%
# The coefficients at every strength.
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
rw.PathDisplay.from_estimator(model, ax=axes)
