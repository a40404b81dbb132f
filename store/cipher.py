"""The key of encrypted checkpoints, taken as LangGraph's `EncryptedSerializer` takes it, for our own too.

pycryptodome is needed only here, and only where something is encrypted: the extra `encrypted` brings it.
"""

from __future__ import annotations

import base64
import binascii
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from .files import CannotOpen

KEY: Final = "LANGGRAPH_AES_KEY"
CIPHER: Final = "aes"
REMEDY: Final = (
    f"set {KEY} to the key that its agent uses, in the environment, in the env of langgraph.json or under"
    " [run.env] in agent-lab.toml"
)
"""What to do about a missing or wrong key, for sentences."""
_SIZES: Final = (16, 24, 32)
_NONCE: Final = 16
SEAL: Final = "sealed "
"""Begins every text that `seal` makes."""


_of_project: list[str] = []
"""The key that the opened project names, if it names one; a process opens one desk at a time."""


class CannotDecrypt(CannotOpen):
    """Something is encrypted and the key is missing or wrong; the message is one sentence."""


def use_key(key: str | None) -> None:
    """Take the key that a project names over that of the environment; None goes back to the latter."""
    _of_project[:] = [] if key is None else [key]


def has_key() -> bool:
    """Tell whether a key is given at all."""
    return _key() is not None


def decrypt(blob: bytes) -> bytes:
    """Return what LangGraph encrypted: a nonce, a tag, and the text.

    Raises:
        CannotDecrypt: The key is missing, is not the one it was encrypted with, or the blob was changed.
    """
    nonce, tag, text = blob[:_NONCE], blob[_NONCE : 2 * _NONCE], blob[2 * _NONCE :]
    try:
        return bytes(_cipher(nonce).decrypt_and_verify(text, tag))
    except ValueError:
        raise CannotDecrypt(
            f"It was encrypted with another key than that in {KEY}, or was changed."
        ) from None


def encrypt(plain: bytes) -> bytes:
    """Return it as LangGraph's own serializer would encrypt it.

    Raises:
        CannotDecrypt: There is no key.
    """
    cipher = _cipher()
    text, tag = cipher.encrypt_and_digest(plain)
    return bytes(cipher.nonce + tag + text)


def seal(text: str) -> str:
    """Return a text of our own encrypted, for a column of text."""
    return SEAL + base64.b64encode(encrypt(text.encode("utf-8"))).decode("ascii")


def is_sealed(text: str) -> bool:
    """Tell whether `seal` made a text."""
    return text.startswith(SEAL)


def unsealed(text: str) -> str:
    """Return what was sealed; any other text as it is.

    Raises:
        CannotDecrypt: The key is missing or another one.
    """
    if not is_sealed(text):
        return text
    try:
        return decrypt(base64.b64decode(text.removeprefix(SEAL), validate=True)).decode("utf-8")
    except binascii.Error:
        raise CannotDecrypt("A sealed line of the journal was changed.") from None


def is_encrypted(database: Path, thread_id: str) -> bool:
    """Tell whether the head of a thread is encrypted; False where there is no such thread or table."""
    query = "SELECT type FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''"
    try:
        uri = f"file:{quote(str(database))}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=5.0)) as conn:
            row = conn.execute(f"{query} ORDER BY checkpoint_id DESC LIMIT 1", (thread_id,)).fetchone()
    except sqlite3.OperationalError:
        return False
    return bool(row) and str(row[0]).endswith(f"+{CIPHER}")


def _key() -> str | None:
    return _of_project[0] if _of_project else os.environ.get(KEY)


def _cipher(nonce: bytes | None = None) -> Any:
    text = _key()
    if text is None:
        raise CannotDecrypt(f"These checkpoints are encrypted: {REMEDY}.")
    key = text.encode("utf-8")
    if len(key) not in _SIZES:
        raise CannotDecrypt(f"{KEY} must have 16, 24 or 32 bytes; this one has {len(key)}.")
    try:
        from Crypto.Cipher import AES
    except ImportError:
        raise CannotDecrypt(
            "Encrypted checkpoints need pycryptodome: pip install 'agent-lab-tui[encrypted]'."
        ) from None
    return AES.new(key, AES.MODE_EAX, nonce=nonce)
