"""The machine: available memory, free disk, threads of BLAS, installed versions."""
