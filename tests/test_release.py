"""What a release relies on: one version, one address, pinned actions, few permissions."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from scripts.release_notes import notes, source_version

import ridgeway as rw

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")

every_workflow = pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The files that a release compares, in a folder of their own."""
    for name in ("src/ridgeway/version.py", "CITATION.cff", "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


# Law: the version has one home; the build, the package and the release read it there.
def test_version_has_one_home() -> None:
    assert PROJECT["dynamic"] == ["version"]
    assert rw.__version__ == source_version()


# Law: the notes of a release are the part of the changelog below its heading, and nothing of other versions.
def test_notes() -> None:
    text = notes(f"v{source_version()}")
    assert text.startswith("### Added")
    assert "\n## " not in text


# Law: a tag, a citation or a changelog of another version stops the release, with the remedy.
@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("src/ridgeway/version.py", r'"[\d.]+"', '"9.9.9"', r"expected 'v9\.9\.9': set __version__"),
        ("CITATION.cff", r"\nversion: \S+", "\nversion: 9.9.9", r"CITATION\.cff is not of version"),
        ("CHANGELOG.md", r"\n## [\d.]+\n", "\n## Unreleased\n", r"CHANGELOG\.md has no entries below"),
    ],
)
def test_versions_that_disagree(tree: Path, name: str, old: str, new: str, message: str) -> None:
    file = tree / name
    file.write_text(re.sub(old, new, file.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        notes(f"v{rw.__version__}", tree)


# Law: an action is pinned by the hash of a commit, beside the version that it is; another part of ours is a path.
@every_workflow
def test_actions_are_pinned(workflow: Path) -> None:
    uses = re.findall(r"uses: (.+)", workflow.read_text(encoding="utf-8"))
    assert uses
    assert [use for use in uses if not PINNED.fullmatch(use) and not use.startswith("./.github/workflows/")] == []


# Law: a workflow starts without permissions, and no job gets more than these.
@every_workflow
def test_permissions(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    assert "\npermissions: {}\n" in text
    granted = set(re.findall(r"^ +([a-z-]+): write", text, flags=re.MULTILINE))
    allowed = {"release.yml": {"attestations", "contents", "id-token"}, "docs.yml": {"id-token", "pages"}}
    assert granted == allowed.get(workflow.name, set())
    assert "secrets." not in text


# Law: the address has one home, [project.urls]; beside it only the code owners and the page on releases name its owner.
def test_address_has_one_home() -> None:
    urls = PROJECT["urls"]
    owner, name = urls["Source"].removeprefix("https://github.com/").split("/")
    assert urls["Documentation"] == f"https://{owner}.github.io/{name}/"
    assert {url for url in urls.values() if not url.startswith(urls["Source"])} == {urls["Documentation"]}
    assert set(re.findall(r"@([\w-]+)/", (ROOT / ".github" / "CODEOWNERS").read_text(encoding="utf-8"))) == {owner}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    naming = {file for file in tracked if owner.encode() in (ROOT / file).read_bytes()}
    assert naming == {"pyproject.toml", ".github/CODEOWNERS", "docs/releasing.md"}


# Law: the lock file names the public registry alone, so that it means the same everywhere.
def test_lock_names_the_public_registry() -> None:
    lock = (ROOT / "uv.lock").read_text(encoding="utf-8")
    assert set(re.findall(r'registry = "([^"]+)"', lock)) == {"https://pypi.org/simple"}
    assert {host.partition("/")[0] for host in re.findall(r'url = "https://([^"]+)"', lock)} == {
        "files.pythonhosted.org"
    }
    assert "file://" not in lock
