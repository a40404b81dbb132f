"""Where a checkpoint file lies, and who can get at it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agent_lab_tui.store.surroundings import mount_of, mounts, rights, users

MOUNTED = """\
/dev/sda1 / ext4 rw,relatime 0 0
nas:/agents /srv/agents nfs4 rw,vers=4.2 0 0
C:\\134 /mnt/c 9p rw,dirsync,aname=drvfs;path=C:\\;uid=1000 0 0
//files/team /mnt/team\\040drive cifs rw 0 0
ann@host: /home/ann/far fuse.sshfs rw 0 0
/dev/sdb1 /srv/agents/local xfs rw 0 0
broken line
"""


@pytest.mark.parametrize(
    ("path", "point", "is_remote", "is_windows"),
    [
        ("/home/ann/agent.db", "/", False, False),
        ("/srv/agents/agent.db", "/srv/agents", True, False),
        ("/srv/agents/local/agent.db", "/srv/agents/local", False, False),
        ("/srv/agents-of-mine/agent.db", "/", False, False),
        ("/mnt/c/Users/ann/agent.db", "/mnt/c", False, True),
        ("/mnt/team drive/agent.db", "/mnt/team drive", True, False),
        ("/home/ann/far/agent.db", "/home/ann/far", True, False),
    ],
)
def test_a_file_lies_on_the_nearest_mount(path: str, point: str, is_remote: bool, is_windows: bool) -> None:
    mount = mount_of(Path(path), mounts(MOUNTED))
    assert mount is not None
    assert (str(mount.point), mount.is_remote, mount.is_windows) == (point, is_remote, is_windows)


def test_the_file_system_mounted_last_on_a_place_is_the_one_seen() -> None:
    mount = mount_of(Path("/a/b"), mounts("x /a ext4 rw 0 0\ny /a nfs rw 0 0\n"))
    assert mount is not None
    assert mount.kind == "nfs"


@pytest.mark.parametrize(("mode", "told"), [(0o600, None), (0o640, "-rw-r-----"), (0o604, "-rw----r--")])
def test_rights_are_told_only_where_others_have_some(tmp_path: Path, mode: int, told: str | None) -> None:
    path = tmp_path / "agent.db"
    path.touch()
    path.chmod(mode)
    assert rights(path) == told


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="this system does not tell who has files open")
def test_another_process_that_has_a_file_open_is_named(tmp_path: Path) -> None:
    path = tmp_path / "agent.db"
    path.touch()
    assert users(path) == ()
    script = "import sys; file = open(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    other = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdout is not None
        other.stdout.readline()
        (user,) = users(path)
        assert (user.pid, user.is_own) == (other.pid, True)
        assert "sys.stdin.read()" in user.command
        other.communicate()
    assert users(path) == ()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="this system does not tell who has files open")
def test_what_a_child_started_is_its_starters_own_and_what_the_starter_left_behind_is_not(
    tmp_path: Path,
) -> None:
    path = tmp_path / "agent.db"
    path.touch()
    opener = "import sys; file = open(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    for is_left, script in (
        (False, f"import subprocess, sys; subprocess.run([sys.executable, '-c', {opener!r}, sys.argv[1]])"),
        (True, f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {opener!r}, sys.argv[1]])"),
    ):
        command = [sys.executable, "-c", script, str(path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            child.stdout.readline()
            if is_left:
                child.wait(60)
            assert [user.is_own for user in users(path)] == [not is_left]
            child.communicate()
