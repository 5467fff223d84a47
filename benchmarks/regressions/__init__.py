"""Whether a change made something slower: this tree against a revision, on a noisy machine."""
