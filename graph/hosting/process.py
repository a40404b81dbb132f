"""One host process as the desk sees it: started, asked, watched, ended."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import signal
import site
import socket
import subprocess
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import agent_lab_tui

from .events import HostError, HostGone
from .frames import Closed, Junk, pack, read
from .interpreter import activated, host_command

LAST_WORDS_SECONDS = 2.0
"""How long frames of an ended host are waited for: a process that it forked may keep the line open."""

Frame = dict[str, Any]


class HostProcess:
    """A running host. Its methods may be called from any thread."""

    def __init__(
        self,
        folder: Path,
        variables: Mapping[str, str],
        python: str | None,
        output: int,
        on_event: Callable[[Frame], None],
        on_end: Callable[[HostProcess], None],
    ) -> None:
        """Start a host in a session of its own, with nothing of ours open but its end of the line."""
        self._on_event = on_event
        self._on_end = on_end
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._waiting: dict[int, tuple[str, Future[Any]]] = {}
        self.is_closing = False
        self.is_killed = False
        self._is_unheard = False
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                host_command(python, theirs.fileno()),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                cwd=folder,
                env=environment(variables, python),
            )
        self._line = ours
        self._reader = threading.Thread(target=self._read, name="from the host", daemon=True)
        self._reader.start()
        self._watcher = threading.Thread(target=self._watch, name="host watcher", daemon=True)
        self._watcher.start()

    @property
    def pid(self) -> int:
        """Its process id, which is its session's too."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked something."""
        return self._process.returncode is None and not self.is_closing

    @property
    def exit_code(self) -> int | None:
        """How it ended, as `subprocess` says it."""
        return self._process.returncode

    @property
    def threads_in_hand(self) -> tuple[str, ...]:
        """The threads it was asked to run and has not answered for."""
        with self._lock:
            return tuple(dict.fromkeys(thread_id for thread_id, _ in self._waiting.values() if thread_id))

    def send(self, frame: Frame) -> None:
        """Send a frame that has no reply; lost when the host is gone, which the watcher tells."""
        try:
            with self._sending:
                self._line.sendall(pack(frame))
        except OSError:
            return

    def ask(self, operation: str, *, runs: str = "", **arguments: Any) -> Future[Any]:
        """Send a request; the future gets its reply, or `HostError`, or `HostGone` when the host ends.

        Args:
            operation: What is asked.
            runs: The thread that is run, if one is; told when the host dies over it.
            arguments: The rest of the request.
        """
        reply: Future[Any] = Future()
        request = next(self._ids)
        with self._lock:
            self._waiting[request] = (runs, reply)
        self.send({"id": request, "op": operation, **arguments})
        if self._process.returncode is not None:
            self._watcher.join(LAST_WORDS_SECONDS)
            self._fail_waiting()
        return reply

    def kill(self) -> None:
        """End it and what it started, at once."""
        self.is_killed = True
        self._end_group()

    def _end_group(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def close(self, seconds: float) -> bool:
        """Let it end after the step in hand; False when it needs more than the given seconds for that."""
        self.is_closing = True
        try:
            self._line.shutdown(socket.SHUT_WR)
        except OSError:
            return True
        self._watcher.join(seconds)
        return not self._watcher.is_alive()

    def _read(self) -> None:
        try:
            while True:
                self._take(read(self._line))
        except (Junk, KeyError, TypeError, ValueError):
            self._is_unheard = True
        except Closed:
            pass
        if self._is_unheard or not self.is_closing:  # what cannot be heard must not go on unheard
            self._end_group()

    def _take(self, frame: Frame) -> None:
        if "event" in frame:
            try:
                self._on_event(frame)
            except Exception:  # a listener's fault must not cost us the replies
                logging.getLogger(__name__).exception("a listener failed")
            return
        said: Any = HostError(frame["error"]) if "error" in frame else frame["reply"]
        with self._lock:
            _, reply = self._waiting.pop(frame["id"], ("", None))
        if reply is None:
            return
        if "error" in frame:
            reply.set_exception(said)
        else:
            reply.set_result(said)

    def _watch(self) -> None:
        self._wait()
        self._reader.join(LAST_WORDS_SECONDS)
        self._on_end(self)
        self._fail_waiting()
        self._line.close()

    def _wait(self) -> None:
        """Wait for the end; what a host that died had started ends with it: evidence is looked for next."""
        if hasattr(os, "waitid"):  # nobody else reaps it, so that its number means no other process meanwhile
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
            if not self.is_closing:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _fail_waiting(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for _, reply in waiting.values():
            reply.set_exception(HostGone(self.how_it_ended()))

    def how_it_ended(self) -> str:
        """Say in one sentence how it ended."""
        code = self._process.returncode
        if self.is_killed:
            return "The host was ended by the operator."
        if self._is_unheard:
            return "The host was ended: its graph broke the line to the desk, which got what nobody can read."
        if code is None or code == 0:
            return "The host has ended."
        if code < 0:
            return f"The host was killed by signal {-code} ({signal.Signals(-code).name})."
        return f"The host ended itself with exit code {code}."


def environment(variables: Mapping[str, str], python: str | None = None) -> dict[str, str]:
    """Return a host's environment: ours, the project's variables, and what makes it a host.

    A host in another interpreter than ours gets none of our folders on its path.

    Strict msgpack must be on before LangGraph is imported: nothing that a file names is then imported or
    called but what the graph itself brought along.
    """
    merged = {**os.environ, **activated(python), **variables, "LANGGRAPH_STRICT_MSGPACK": "true"}
    if python is not None:
        return merged
    paths = [*own_paths(), *filter(None, merged.get("PYTHONPATH", "").split(os.pathsep))]
    if paths:
        merged["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    return merged


def own_paths() -> tuple[str, ...]:
    """Return the folders that hold our package and that a fresh interpreter would not look into.

    Never the folder of a checkout: its `graph`, `store` and `tui` would shadow a user's own modules.
    """
    usual = {*site.getsitepackages(), site.getusersitepackages()}
    holding = [Path(entry).parent for entry in agent_lab_tui.__path__ if Path(entry).name == "agent_lab_tui"]
    return tuple(str(folder) for folder in holding if str(folder) not in usual and folder.is_dir())
