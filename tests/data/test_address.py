"""Addresses and the secrets in them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ridgeway.data.address
from ridgeway.data.address import hidden, shown, without_password


@pytest.fixture(scope="module", autouse=True)
def own_passwords() -> Iterator[None]:
    """Let no other test hide the passwords that are drawn here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ridgeway.data.address, "_passwords", set())
        yield


SAFE = "abcdefghijklmnopqrstuvwxyz0123456789-_.~%+"
PASSWORDS = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ!$&'()*+,;=%/:#", min_size=4, max_size=12).filter(
    lambda text: not text[0].isdigit()
)
HOSTS = st.sampled_from(["host", "host:5432", "127.0.0.1:80", "bucket"])
SCHEMES = st.sampled_from(["postgresql", "s3", "https", "mysql"])


# Law: no password is in what is shown or written of an address, nor in a text that repeats the address.
@given(SCHEMES, st.text(SAFE, max_size=6), PASSWORDS, HOSTS, st.sampled_from(["", "/shop", "/a/b.csv?x=1"]))
def test_passwords_are_hidden(scheme: str, user: str, password: str, host: str, path: str) -> None:
    address = f"{scheme}://{user}:{password}@{host}{path}"
    name = shown(address)
    assert name == f"{scheme}://{host}{path.partition('?')[0]}"
    assert password not in without_password(address)
    assert password not in hidden(f"failed: {address}, password {password}")


# Law: parameters that hold secrets are neither shown nor written; others are kept for who connects.
def test_parameters() -> None:
    address = "https://host/a.csv?X-Amz-Signature=5ecre7&version=2&sslpassword=hush-hush"
    assert shown(address) == "https://host/a.csv"
    assert without_password(address) == "https://host/a.csv?version=2"
    assert hidden("5ecre7 and hush-hush") == "*** and ***"


# Law: paths, ports and names with @ are not taken for passwords.
def test_others() -> None:
    for text in ("a.csv", "C:/a.csv", "http://host:8080/a@b.csv", "s3://bucket/mail@home.csv"):
        assert shown(text) == without_password(text) == text


# Law: a password of a database is hidden also if its slashes and signs @ should have been escaped.
@given(st.text("0123456789/@?:", min_size=3, max_size=8))
def test_unescaped(password: str) -> None:
    address = f"postgresql://me:{password}@host/shop"
    assert shown(address) == "postgresql://host/shop"
    assert without_password(address) == "postgresql://me@host/shop"
