"""
How much simpler may the model be?
==================================

The strength with the least held-out error is partly chance. `one_standard_error=True` takes the strongest one whose
error is within one standard error of the least: a model with smaller coefficients that nothing speaks against.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

import ridgeway as rw

X, y = load_diabetes(return_X_y=True, as_frame=True)
best = rw.RidgePathCV(cv=10, random_state=0).fit(X, y)
simple = rw.RidgePathCV(cv=10, one_standard_error=True, random_state=0).fit(X, y)
for name, model in (("least error", best), ("one standard error", simple)):
    print(f"{name:>18}: alpha {model.alpha_:.3f}, R^2 {model.score(X, y):.3f}, |coef| {np.abs(model.coef_).sum():.0f}")

# %%
# The coefficients of both.
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
places = np.arange(X.shape[1])
axes.bar(places - 0.2, best.coef_, width=0.4, label=f"alpha {best.alpha_:.3f}")
axes.bar(places + 0.2, simple.coef_, width=0.4, label=f"alpha {simple.alpha_:.3f}")
axes.set_xticks(places, X.columns)
axes.set_ylabel("coefficient")
axes.legend()
