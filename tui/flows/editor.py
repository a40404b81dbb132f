"""The operator's own editor, with the screen put aside for it."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from textual.app import App, SuspendNotSupported


def edit_outside(app: App[object], text: str, error: str) -> tuple[str, str]:
    """Let $VISUAL or $EDITOR change a text.

    Returns:
        The text as it was left, and why the editor could not be used, in one sentence.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    folder = Path(tempfile.mkdtemp(prefix="agent-lab-"))
    path = folder / "arguments.json"
    try:
        path.write_text(text, "utf-8")
        with app.suspend():
            subprocess.run([*shlex.split(command), str(path)], check=True)
        return path.read_text("utf-8"), error
    except SuspendNotSupported:
        return text, "This terminal cannot be lent to another editor."
    except (OSError, ValueError, subprocess.CalledProcessError) as failure:
        return text, f"{command} could not be used: {failure}. Set $EDITOR to another one."
    finally:
        path.unlink(missing_ok=True)
        folder.rmdir()
