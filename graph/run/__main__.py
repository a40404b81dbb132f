"""The host: a process that loads a project's graphs and carries decisions out.

Started by `graph.host` as `python -P -u -m agent_lab_tui.graph.run FD`, with one end of a socket pair as FD.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import threading

from ..hosting.opening import Opening
from .channel import Channel
from .service import Service


def main() -> None:
    """Serve the desk until it is gone, then end the process for good.

    `sys.exit` in a node surfaces out of the running loop, and the saver's thread would then keep the process
    hanging: so the loop is entered again, and the end is `os._exit`.
    """
    descriptor = int(sys.argv.pop(1))
    os.set_inheritable(descriptor, False)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(
            number, lambda *_: None
        )  # a handler, not SIG_IGN, which children of a node would inherit
    logging.getLogger("aiosqlite").setLevel(logging.WARNING)  # our own saver's chatter is not the graph's
    channel = Channel(socket.socket(fileno=descriptor))
    opening = Opening.from_text(channel.receive()["opening"])
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    service = Service(opening, channel, loop)
    is_loading = threading.Event()
    is_loading.set()
    channel.listen(service.receive, lambda: os._exit(0) if is_loading.is_set() else service.end())
    service.project.import_all()
    is_loading.clear()
    while True:
        try:
            loop.run_forever()
            break
        except (SystemExit, KeyboardInterrupt):
            continue
    channel.flush()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
