"""Other libraries on the same rows, as ratios within one run: `make bench-peers`."""
