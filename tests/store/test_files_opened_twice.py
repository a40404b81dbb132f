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
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("CREATE TABLE IF NOT EXISTS news (word TEXT)")
connection.execute("INSERT INTO news VALUES ('one more')")
connection.commit()
if sys.argv[2] == "killed":
    os._exit(9)
connection.close()
"""


def test_a_reader_sees_what_others_write_though_the_file_was_opened_again(tmp_path: Path) -> None:
    """A plain descriptor of the file, once closed, drops locks: the reader stays in the past."""
    path = tmp_path / "twice.db"
    with closing(sqlite3.connect(path)) as connection:
        SqliteSaver(connection).setup()
    subprocess.run([sys.executable, "-c", WRITER, str(path), "killed"], check=False)
    with closing(open_database(str(path)).watching()) as reader:
        assert reader.execute("SELECT count(*) FROM news").fetchone() == (1,)
        open_database(str(path))
        for _ in range(2):
            subprocess.run([sys.executable, "-c", WRITER, str(path), "closed"], check=True)
        assert reader.execute("SELECT count(*) FROM news").fetchone() == (3,)
