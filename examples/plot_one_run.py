"""
One run, every ridge strength
=============================

How do the effects of carrier, airport and hour on arrival delays change with the strength of regularization? One run of
SGD over 327,346 flights gives all strengths at once. Exact ridge, from the Gram matrix, is the reference.
"""

import matplotlib.pyplot as plt
import numpy as np

import ridgeway as rw

flights = rw.load_flights()
model = rw.AveragedSGDRegressor(random_state=0).fit(flights.X, flights.y)
exact = rw.ExactRidgePath().fit(flights.X, flights.y)

# %%
# The path takes milliseconds and no data. Coefficients are drawn per standard deviation of their column, so that they
# can be compared.
alphas = np.logspace(-3, 1, 60)
few = np.logspace(-3, 1, 9)
size = flights.X.std(axis=0)
path, check = model.path(alphas).coefs * size, exact.path(few).coefs * size
largest = np.argsort(-np.abs(path[0]))[:8]

figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
for column in largest:
    (line,) = axes.semilogx(alphas, path[:, column], label=flights.feature_names[column])
    axes.plot(few, check[:, column], "o", color=line.get_color(), markersize=4)
axes.set(xlabel="ridge strength alpha", ylabel="minutes per standard deviation")
axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
axes.spines[["top", "right"]].set_visible(False)

# %%
# Lines are averages of one run, dots are exact ridge. The step grows over the first part of the run, so every strength
# uses many rows. The remaining distance is noise of the steps; more passes make it smaller.
