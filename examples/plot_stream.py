"""
Learn from a stream, and watch the error
========================================

Flights arrive in batches. How good is the model after each batch? The model predicts every batch before it learns from
it, so the errors are held-out errors. They also select the average.

`AveragedSGDRegressor` suits streams of any width. For up to 2,000 columns, as here, `RidgePathCV` learns from the same
batches exactly, and in any order.
"""

import matplotlib.pyplot as plt
import numpy as np

import ridgeway as rw

flights = rw.load_flights()
order = np.random.default_rng(0).permutation(len(flights.y))
X, y = flights.X[order], flights.y[order]

model = rw.AveragedSGDRegressor()
seen, share = [], []
for first in range(0, 300_000, 4_000):
    batch = slice(first, first + 4_000)
    if first:
        error = np.mean((model.predict(X[batch]) - y[batch]) ** 2)
        seen.append(first)
        share.append(1 - error / np.var(y[batch]))
    model.partial_fit(X[batch], y[batch])

# %%
figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
axes.plot(seen, share, ".", alpha=0.5, label="one batch")
window = np.ones(9) / 9
axes.plot(seen[4:-4], np.convolve(share, window, "valid"), label="mean of nine")
axes.set(xlabel="flights seen", ylabel="explained share of the next batch", ylim=(0, None))
axes.legend(frameon=False)
axes.spines[["top", "right"]].set_visible(False)
numbers = model.trajectory_.layout.numbers(model.n_steps_, model.trajectory_.steps)
print(f"{model.averaging_} after {model.n_rows_:,} rows; the sketch has {numbers} numbers per coefficient")
