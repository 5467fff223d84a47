"""A path of linear models, one for each ridge strength, and what every estimator of a path shares."""
