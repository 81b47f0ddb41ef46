"""Short names that these tests share."""

from __future__ import annotations

from hypothesis import strategies as st

from statekit.vocabulary import MergePolicy, Scope

C, D, E = MergePolicy.COMMUTATIVE, MergePolicy.DISJOINT, MergePolicy.EXCLUSIVE
T = Scope.THREAD
positions = st.integers(0, 12)
