"""Random fits and streams over every scale: nothing that leaves is NaN, and a refused batch changes nothing."""
