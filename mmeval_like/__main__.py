"""`python -m mmeval_like`."""

import sys

from mmeval_like.cli import main

if __name__ == "__main__":
    sys.exit(main())
