"""
Does the progression of diabetes depend linearly on measurements?
=================================================================

The data are ten measurements of 442 patients and the progression of the disease a year later. In a linear model each
point of body mass index has the same effect for everybody, in a kernel model it need not. If the kernel model predicts
held-out patients better, the dependence is not linear.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes

import ridgeway as rw

data = load_diabetes(as_frame=True, scaled=False)
X, y = data.data, data.target
linear = rw.AveragedSGDRegressor(averaging="geometric", random_state=0).fit(X, y)
kernel = rw.AveragedKernelRegressor(averaging="geometric", gamma="auto", random_state=0).fit(X, y)
for name, model in {"linear": linear, "kernel": kernel}.items():
    chosen = model.selection_.chosen
    print(f"{name}: held-out squared error {chosen.error:.0f} +- {chosen.standard_error:.0f}, {model.averaging_}")

# %%
# Both errors are on held-out rows, with five folds each; one run gives all strengths. The curves on the right are for a
# patient with average measurements and varying weight: strong regularization straightens the curve, weak regularization
# follows noise.
figure, (errors, curves) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for name, model in {"linear": linear, "kernel": kernel}.items():
    rows = [row for row in model.selection_ if row.alpha > 0 and row.step == model.step_]
    rows = sorted(rows, key=lambda row: row.alpha)
    errors.semilogx([row.alpha for row in rows], [row.error for row in rows], ".-", label=name)
    errors.plot(model.alpha_, model.selection_.chosen.error, "k*", markersize=11, zorder=3)
errors.set(xlabel="alpha", ylabel="squared error on rows left out", ylim=(2800, 4500), xlim=(1e-6, 10))
errors.legend(frameon=False)

bmi = np.linspace(X["bmi"].quantile(0.02), X["bmi"].quantile(0.98), 60)
patients = X.mean().to_frame().T.loc[[0] * len(bmi)].assign(bmi=bmi)
strengths = kernel.alpha_ * np.array([100, 1, 0.01])
for alpha, line in zip(strengths, kernel.predict_path(patients, strengths).T, strict=True):
    curves.plot(bmi, line, label=f"kernel, alpha = {alpha:.1g}", linewidth=2.5 if alpha == kernel.alpha_ else 1.2)
curves.plot(bmi, linear.predict(patients), "k--", label="linear")
curves.set(xlabel="body mass index", ylabel="predicted progression")
curves.legend(frameon=False)
for axes in (errors, curves):
    axes.spines[["top", "right"]].set_visible(False)

# %%
# The two errors differ by less than their standard errors: a linear model is enough to predict these patients, and the
# curve at the selected strength is nearly a straight line.
