"""`python -m statekit` is the command `statekit`."""

import sys

from statekit.cli import main

if __name__ == "__main__":
    sys.exit(main())
