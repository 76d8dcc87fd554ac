"""`python -m activepu`: the same as the command `activepu`."""

from activepu.cli import main

if __name__ == "__main__":
    main()
