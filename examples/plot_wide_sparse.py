"""
More columns than rows?
=======================

Bags of words have many more columns than rows, and most entries are 0. `RidgePathCV` then multiplies the sparse rows by
a few vectors (the Krylov solver) and never makes them dense. The words here are simulated: 3,000 texts, 6,000 words.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse

import ridgeway as rw

rng = np.random.default_rng(0)
X = scipy.sparse.random_array((3_000, 6_000), density=0.01, rng=rng, format="csr")
X.data[:] = 1.0  # a word is in a text, or not
w = np.where(np.arange(6_000) < 500, 3.0, 0.0) * rng.standard_normal(6_000)
y = X @ w + 3.0 * rng.standard_normal(3_000)

model = rw.RidgePathCV(random_state=0).fit(X[:2_500], y[:2_500])
print(f"solver {model.solver_}, alpha {model.alpha_:.3g}, R^2 on new texts {model.score(X[2_500:], y[2_500:]):.2f}")

# %%
# The error of every strength that was compared.
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
rw.SelectionDisplay.from_estimator(model, ax=axes)
