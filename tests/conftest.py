"""What is not collected, and how hypothesis looks for counterexamples.

It looks anew on a machine of a person, and always at the same ones under CI.
"""

from __future__ import annotations

import os

from hypothesis import settings

# For mypy to read: run, it would raise.
collect_ignore = ["typed_surface/keys_inference.py"]

# A busy machine is no finding, so no example has a deadline.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, database=None, max_examples=200, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")
