"""How many partitions a sweep has under way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ridgeway.dask.partition_sweep import under_way

few = st.integers(1, 50)


# Law: workers that share a chain have one partition each, so that the chain finds them waiting.
@given(few, few, few)
def test_one_each_for_workers_that_share_a_chain(n_segments: int, sharing: int, ahead: int) -> None:
    assert under_way(n_segments * (sharing + 1), n_segments, ahead) == sharing + 1


# Law: a worker with a chain of its own has as many as it is to have.
@given(few, few)
def test_all_of_them_for_a_chain_of_its_own(n_workers: int, ahead: int) -> None:
    assert under_way(n_workers, n_workers, ahead) == ahead


# Law: a worker with several chains has no more in all, but one for each chain.
@given(few, few, few)
def test_no_more_in_all_for_several_chains(n_workers: int, n_segments: int, ahead: int) -> None:
    per_segment = under_way(n_workers, n_segments, ahead)
    assert per_segment >= 1
    assert per_segment == 1 or per_segment * n_segments <= ahead * n_workers
