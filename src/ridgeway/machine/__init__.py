"""The machine: its memory, the threads of BLAS, and what is installed on it."""
