"""`python -m ridgeway`: the command line."""

from ridgeway.cli import main

if __name__ == "__main__":
    main()
