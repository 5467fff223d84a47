"""Print the part of the changelog that belongs to a tag, after a check that tag, sources and citation agree.

`python scripts/release_notes.py v0.2.0`; it needs nothing but Python.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def source_version(root: Path = ROOT) -> str:
    """Return the version that the sources state: its only home."""
    text = (root / "src" / "ridgeway" / "version.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'^__version__ = "(.+)"$', text, flags=re.MULTILINE)
    return str(version)


def notes(tag: str, root: Path = ROOT) -> str:
    """Return the section of the changelog for a tag.

    Raises
    ------
    ValueError
        If the tag is not `v` and the version of the sources, or the citation or the changelog are not of that version.
    """
    version = source_version(root)
    if tag != f"v{version}":
        raise ValueError(
            f"The tag is {tag!r}, expected 'v{version}': "
            "set __version__ in src/ridgeway/version.py, or tag another commit."
        )
    if f"\nversion: {version}\n" not in (root / "CITATION.cff").read_text(encoding="utf-8"):
        raise ValueError(f"CITATION.cff is not of version {version}: change its line 'version:'.")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(version)}( .*)?\n(.*?)(?=^## |\Z)", changelog, flags=re.MULTILINE | re.DOTALL)
    if section is None or not section.group(2).strip():
        raise ValueError(f"CHANGELOG.md has no entries below '## {version}': rename 'Unreleased'.")
    return section.group(2).strip()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python scripts/release_notes.py TAG")
    try:
        print(notes(sys.argv[1]))
    except ValueError as error:
        sys.exit(f"error: {error}")
