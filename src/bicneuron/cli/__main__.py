"""``python -m bicneuron.cli``."""

import sys

from bicneuron.cli import main

if __name__ == "__main__":
    sys.exit(main())
