"""`WordCounts`: how often words occur in texts, in bounded memory; the frequent words behind each hashed feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ridgeway.data.arrow import pa, pc
from ridgeway.data.encoding.strings import buckets_of

MAX_TRACKED_WORDS = 100_000  # words counted at a time
MAX_WORD_CHARACTERS = 40  # longer words name no feature
MAX_NAMING_WORDS = 3  # words that name a feature
BUCKETS_PER_WORD = 2  # at least; then two words in five share a bucket
MIN_NAMING_SHARE = 0.1  # of the count of a feature's most frequent word, from which another one names it, too
# Every run of characters that `hash_words` of the core takes for the space between two words.
BETWEEN_WORDS = r"[\x00-/:-@\[-`{-\x{bf}\x{2000}-\x{207f}\x{3000}-\x{303f}]+"


class WordCounts:
    """Count the words of texts, in lower case.

    Memory is bounded: when more than `MAX_TRACKED_WORDS` words are counted, the rarer half of them is forgotten. A
    forgotten word is counted from 0 when it occurs again, so counts of rare words may be too small, never too large.

    Examples
    --------
    >>> import pyarrow as pa
    >>> counts = WordCounts().after(pa.array(["old wine", "Old oak"]), np.array([3, 1]))
    >>> counts.most_frequent(1, least=1)
    ['old']
    """

    def __init__(self) -> None:
        self._words: Any = pa.array([], pa.string())
        self._counts: NDArray[np.int64] = np.zeros(0, dtype=np.int64)

    def after(self, texts: Any, times: NDArray[np.int64]) -> WordCounts:
        """Return the counts after more texts; these counts do not change.

        Parameters
        ----------
        texts : Arrow array of strings without missing values.
        times : (texts,), how often each text comes.
        """
        lists = pc.split_pattern_regex(pc.utf8_lower(texts), pattern=BETWEEN_WORDS)
        coded = lists.flatten().dictionary_encode()
        of_text = np.repeat(times, pc.list_value_length(lists).to_numpy(zero_copy_only=False))
        new = np.bincount(coded.indices.to_numpy(zero_copy_only=False), of_text, len(coded.dictionary))
        words = pa.concat_arrays([self._words, coded.dictionary]).dictionary_encode()
        places = words.indices.to_numpy(zero_copy_only=False)
        counts = np.bincount(places, np.concatenate([self._counts, new]), len(words.dictionary)).astype(np.int64)
        lengths = pc.utf8_length(words.dictionary).to_numpy(zero_copy_only=False)
        kept = np.flatnonzero((counts > 0) & (lengths > 0) & (lengths <= MAX_WORD_CHARACTERS))
        if len(kept) > MAX_TRACKED_WORDS:
            frequent = np.argsort(-counts[kept], kind="stable")[: MAX_TRACKED_WORDS // 2]
            kept = kept[np.sort(frequent)]
        more = WordCounts()
        more._words, more._counts = words.dictionary.take(pa.array(kept)), counts[kept]
        return more

    def buckets_for(self, least: int, most: int) -> int:
        """Return a number of buckets that few words share: a power of two, or one of the bounds.

        Parameters
        ----------
        least, most : bounds of the number.
        """
        return min(most, max(least, 1 << (BUCKETS_PER_WORD * len(self._counts) - 1).bit_length()))

    def most_frequent(self, n: int, least: int) -> list[str]:
        """Return up to n words that came at least `least` times, most frequent first, then in alphabetical order."""
        return [word for word, _ in self._from(least)[:n]]

    def behind_buckets(self, buckets: int, least: int) -> tuple[str, ...]:
        """Return for each bucket its frequent words, separated by spaces, most frequent first; "" if there are none.

        Parameters
        ----------
        buckets : number of features that the words share.
        least : smallest count of a word that is named.
        """
        ranked = self._from(least)
        named: dict[int, list[tuple[str, int]]] = {}
        for bucket, (word, count) in zip(
            buckets_of(pa.array([word for word, _ in ranked], pa.string()), buckets).tolist(), ranked, strict=True
        ):
            words = named.setdefault(bucket, [])
            if not words or (len(words) < MAX_NAMING_WORDS and count >= MIN_NAMING_SHARE * words[0][1]):
                words.append((word, count))
        return tuple(" ".join(word for word, _ in named.get(bucket, [])) for bucket in range(buckets))

    def _from(self, least: int) -> list[tuple[str, int]]:
        """Return the words that came at least `least` times with their counts, most frequent first."""
        kept = np.flatnonzero(self._counts >= least)
        pairs = zip(self._words.take(pa.array(kept)).to_pylist(), self._counts[kept].tolist(), strict=True)
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
