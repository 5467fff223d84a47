"""The words behind hashed features."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ridgeway.data import TableEncoder
from ridgeway.data.encoding import word_counts
from ridgeway.data.encoding.strings import words_in, words_of
from ridgeway.data.encoding.word_counts import MAX_NAMING_WORDS, WordCounts

TEXTS = st.lists(st.tuples(st.text("abAB1 ,._-éß東°“\u3000", max_size=15), st.integers(1, 5)), max_size=8)


# Law: counts are those of the words in lower case, however the texts are divided into batches.
@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_counts(first: list[tuple[str, int]], second: list[tuple[str, int]]) -> None:
    counts, expected = WordCounts(), Counter[str]()
    for part in (first, second):
        counts = counts.after(pa.array([text for text, _ in part], pa.string()), np.array([n for _, n in part], int))
        for text, times in part:
            expected.update({word: times * n for word, n in Counter(re.findall(r"[^\W_°]+", text.lower())).items()})
    for least in (1, 3):
        ranked = sorted((word for word in expected if expected[word] >= least), key=lambda w: (-expected[w], w))
        assert counts.most_frequent(100, least) == ranked


# Law: the words that are counted are those that the core hashes, whatever characters lie between them.
@settings(deadline=None)
@given(st.text(max_size=30))
def test_words_are_those_of_the_core(text: str) -> None:
    strings = pa.array([text], pa.string())
    words = WordCounts().after(strings, np.array([1])).most_frequent(100, 1)
    assert bool(words) == bool(words_in(strings)[0])
    found = words_of(strings, 1 << 20, np.float64)
    behind = WordCounts().after(strings, np.array([1])).behind_buckets(1 << 10, 1)
    assert len(behind) == 1 << 10
    hashed = {int(words_of(pa.array([word]), 1 << 20, np.float64).buckets[0]) for word in words}
    assert hashed == set(found.buckets[found.starts[0] : found.ends[0]].tolist())


# Law: a bucket is named by its own words, at most three, most frequent first, none of them rare beside the first.
@settings(deadline=None)
@given(st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=60), st.integers(1, 5), st.integers(1, 3))
def test_behind_buckets(words: list[str], buckets: int, least: int) -> None:
    counts = WordCounts().after(pa.array([" ".join(words)]), np.array([1]))
    behind, count = counts.behind_buckets(buckets, least), Counter(words)
    for bucket, named in enumerate(behind):
        here = [w for w in count if words_of(pa.array([w]), buckets, np.float64).buckets[0] == bucket]
        ranked = sorted((w for w in here if count[w] >= least), key=lambda w: (-count[w], w))
        expected = [w for w in ranked[:MAX_NAMING_WORDS] if count[w] >= 0.1 * count[ranked[0]]]
        assert named.split() == expected


# Law: memory is bounded, and frequent words survive.
def test_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_counts, "MAX_TRACKED_WORDS", 100)
    counts = WordCounts()
    for batch in range(20):
        rare = [f"w{batch}x{k}" for k in range(60)]
        counts = counts.after(pa.array([" ".join(["often", *rare])]), np.array([1]))
        assert len(counts.most_frequent(10**6, 0)) <= 100
    assert counts.most_frequent(1, 1) == ["often"]
    long = pa.array(["x" * 10_000 + " short"])
    assert WordCounts().after(long, np.array([1])).most_frequent(9, 1) == ["short"]


# Law: the number of buckets is at least twice that of the words, within its bounds, and no larger than it has to be.
@settings(deadline=None)
@given(st.integers(0, 300), st.integers(1, 64), st.integers(64, 1024))
def test_buckets_for_words(n: int, least: int, most: int) -> None:
    counts = WordCounts().after(pa.array([" ".join(f"w{k}" for k in range(n))]), np.array([1]))
    buckets = counts.buckets_for(least, most)
    assert least <= buckets <= most
    assert buckets == most or buckets >= 2 * n
    assert buckets == least or buckets < max(3, 4 * n)


def texts(rows: int = 600) -> pa.Table:
    rng = np.random.default_rng(0)
    words = ["fine", "old", "red", "wine", "glass", "of"]
    return pa.table({"t": [" ".join(rng.choice(words, 5)) + f" secret{k} lot" for k in range(rows)]})


# Law: names of features hold the frequent words, stay unique, and survive a model file; words that came fewer than
# min_count times are stored nowhere.
def test_names() -> None:
    encoder = TableEncoder(words=64).fit(texts())
    names = encoder.get_feature_names_out().tolist()
    assert len(set(names)) == 64
    bucket = words_of(pa.array(["wine"]), 64, np.float64).buckets[0]
    assert "wine" in names[bucket]
    assert names[bucket].endswith(f"(word {bucket})")
    assert any(re.fullmatch(r"t word \d+", name) for name in names)
    stored = json.dumps(encoder.to_dict())
    assert "secret" not in stored
    again = TableEncoder.from_dict(json.loads(stored))
    assert again.get_feature_names_out().tolist() == names
    assert encoder.describe() == again.describe()
    assert "(most frequent: lot, " in next(iter(encoder.describe())).done


# Law: an encoder of version 0.1, which counted no words, still has its names; wrong names are refused.
def test_states() -> None:
    state = TableEncoder(words=8).fit(texts()).to_dict()
    old = json.loads(json.dumps(state))
    del old["columns"][0]["frequent"]
    assert TableEncoder.from_dict(old).get_feature_names_out().tolist() == [f"t word {k}" for k in range(8)]
    for frequent in (["wine"], ["x" * 1000] * 8, [3] * 8, "wine"):
        wrong = json.loads(json.dumps(state))
        wrong["columns"][0]["frequent"] = frequent
        with pytest.raises(ValueError, match="frequent"):
            TableEncoder.from_dict(wrong)
