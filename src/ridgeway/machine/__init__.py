"""The machine: available memory, threads of BLAS, installed versions."""
