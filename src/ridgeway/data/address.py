"""Addresses of data (URLs), how messages show them, and the passwords in them, which are never shown."""

from __future__ import annotations

import re
from urllib.parse import unquote

ADDRESS = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+):/+")  # one slash: pathlib joins two; a drive has one letter
# user:password@ before the host; host:port/ is none. A password may hold slashes that should have been escaped.
USER_INFO = re.compile(r"(?P<user>[^/@:?]*):(?!\d+(?:[/?]|$))(?P<password>[^@]*)@|(?P<name>[^/@:?]*)@")
SECRET_PARAMETER = re.compile("pass|secret|token|key|sig|cred", re.IGNORECASE)
# The path of a database holds no @, so everything before the last one is user and password.
DATABASE = re.compile("postgres|mysql|mariadb", re.IGNORECASE)
DATABASE_USER_INFO = re.compile(r"(?P<user>[^:@]*):(?P<password>.*)@(?=[^@]*$)|(?P<name>[^@:?]*)@", re.DOTALL)
WITHOUT_HOST = ("sqlite", "duckdb", "file")
HIDDEN = "***"

# Passwords of the addresses of this process. `hidden` takes them out of texts whose origin is unknown, such as messages
# of drivers and tracebacks.
_passwords: set[str] = set()


def url_scheme(text: str) -> str | None:
    """Return the scheme of an address in lower case, None for a path.

    Examples
    --------
    >>> url_scheme("S3://bucket/a.csv"), url_scheme("folder/a.csv"), url_scheme("C:/a.csv")
    ('s3', None, None)
    """
    found = ADDRESS.match(text)
    return None if found is None else found[1].lower()


def as_address(text: str) -> str:
    """Return an address with the slashes that `pathlib` joined to one.

    Examples
    --------
    >>> as_address("s3:/bucket/a.csv"), as_address("sqlite:/shop.db"), as_address("sqlite:////data/shop.db")
    ('s3://bucket/a.csv', 'sqlite:///shop.db', 'sqlite:////data/shop.db')
    """
    found = ADDRESS.match(text)
    assert found is not None
    if "://" in found[0]:
        return text
    return f"{found[1]}:{'///' if found[1].lower() in WITHOUT_HOST else '//'}{text[len(found[0]) :]}"


def _user_info(scheme: str, rest: str) -> re.Match[str] | None:
    """Return user and password at the beginning of what follows the scheme."""
    return (DATABASE_USER_INFO if DATABASE.match(scheme) else USER_INFO).match(rest)


def shown(address: str) -> str:
    """Return an address without user, password and parameters, and remember the passwords for `hidden`.

    Examples
    --------
    >>> shown("postgresql://me:secret@host:5432/shop?sslmode=require")
    'postgresql://host:5432/shop'
    >>> shown("s3://bucket/mail@home.csv")
    's3://bucket/mail@home.csv'
    """
    found = ADDRESS.match(address)
    if found is None:
        return address
    rest = address[len(found[0]) :]
    user = _user_info(found[1], rest)
    if user is not None:
        if user["password"]:
            _passwords.update((user["password"], unquote(user["password"])))
        rest = rest[user.end() :]
    rest, _, parameters = rest.partition("?")
    for part in parameters.split("&"):
        name, _, value = part.partition("=")
        if value and SECRET_PARAMETER.search(name):
            _passwords.update((value, unquote(value)))
    return address[: len(found[0])] + rest


def hidden(text: str) -> str:
    """Return a text without the passwords of addresses that this process has seen.

    Examples
    --------
    >>> _ = shown("postgresql://me:hunter2@host/shop")
    >>> hidden("cannot connect to postgresql://me:hunter2@host/shop")
    'cannot connect to postgresql://me:***@host/shop'
    """
    for password in sorted(_passwords, key=len, reverse=True):
        text = text.replace(password, HIDDEN)
    return text


def without_password(address: str) -> str:
    """Return an address without its password, and without parameters that hold a secret.

    Examples
    --------
    >>> without_password("postgresql://me:secret@host/shop?sslmode=require")
    'postgresql://me@host/shop?sslmode=require'
    """
    found = ADDRESS.match(address)
    if found is None:
        return address
    rest = address[len(found[0]) :]
    user = _user_info(found[1], rest)
    if user is not None and user["password"] is not None:
        rest = f"{user['user']}@{rest[user.end() :]}" if user["user"] else rest[user.end() :]
    plain, _, parameters = rest.partition("?")
    kept = [part for part in parameters.split("&") if part and not SECRET_PARAMETER.search(part.partition("=")[0])]
    return found[0] + plain + (f"?{'&'.join(kept)}" if kept else "")


def with_user(address: str) -> tuple[str, str | None]:
    """Return an address without its user, and ``user:password`` as it was written; None if there is none."""
    found = ADDRESS.match(address)
    assert found is not None
    rest = address[len(found[0]) :]
    user = _user_info(found[1], rest)
    if user is None:
        return address, None
    return found[0] + rest[user.end() :], unquote(user[0].removesuffix("@"))
