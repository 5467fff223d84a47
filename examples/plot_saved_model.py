"""
Can I change the strength after training?
=========================================

A model file holds the whole path. Here a fit is saved, loaded without its data, and moved to other strengths: what
somebody does who gets the model, but not the rows.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

import ridgeway as rw

X, y = load_diabetes(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
file = Path(tempfile.mkdtemp()) / "model.safetensors"
rw.RidgePathCV(random_state=0).fit(X_train, y_train).save(file)
print(f"{file.stat().st_size / 1024:.0f} KB")

# %%
# From here on only the file is used.
model = rw.load(file)
alphas = np.logspace(-3, 2, 50)
errors = [np.sqrt(((model.at(alpha).predict(X_test) - y_test) ** 2).mean()) for alpha in alphas]
figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
axes.semilogx(alphas, errors)
axes.axvline(model.alpha_, color="tab:orange", label="selected on the training rows")
axes.set_xlabel("alpha")
axes.set_ylabel("RMSE on new rows")
axes.legend()
