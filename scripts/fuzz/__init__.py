"""Random fits and streams at every scale: no result is NaN, and a refused batch changes nothing."""
