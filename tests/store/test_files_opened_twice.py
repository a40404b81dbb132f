"""A file that is opened again in one process: its readers go on seeing what others write."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from langgraph.checkpoint.sqlite import SqliteSaver

from agent_lab_tui.store.files import open_database

WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("CREATE TABLE news (word TEXT)")
connection.commit()
connection.close()
"""


def test_a_reader_sees_what_others_write_though_the_file_was_opened_again(tmp_path: Path) -> None:
    """Closing a plain descriptor of the file would drop SQLite's locks, and the reader would stay in the past."""
    path = tmp_path / "twice.db"
    with closing(sqlite3.connect(path)) as connection:
        SqliteSaver(connection).setup()
    with closing(open_database(str(path)).watching()) as reader:
        assert reader.execute("SELECT count(*) FROM checkpoints").fetchone() == (0,)
        open_database(str(path))
        subprocess.run([sys.executable, "-c", WRITER, str(path)], check=True)
        assert reader.execute("SELECT count(*) FROM news").fetchone() == (0,)
