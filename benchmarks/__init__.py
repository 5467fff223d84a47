"""Speed and accuracy of the engine, as ratios to yardsticks measured in the same run: `python -m benchmarks`."""
