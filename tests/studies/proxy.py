"""A line to a PostgreSQL server that is cut at a chosen point, and a server that can be reached over TCP."""

import contextlib
import socket
import threading


class Proxy:
    """Passes bytes on between clients and a server; `cut` says where it stops, once, after `left` more commits.

    "before commit": the message COMMIT is not passed on. "after commit": it is, and the answer is not passed back.
    """

    def __init__(self, server):
        self._server = server
        self.cut = None
        self.left = 0
        self.cuts = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listening.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            lost = threading.Event()
            for source, target, out in ((client, server, True), (server, client, False)):
                threading.Thread(target=self._pass, args=(source, target, out, lost), daemon=True).start()

    def _pass(self, source, target, out, lost):
        try:
            while data := source.recv(65536):
                if out and self.cut is not None and b"COMMIT\0" in data and (left := self.left):
                    self.left = left - 1
                elif out and self.cut is not None and b"COMMIT\0" in data:
                    where, self.cut = self.cut, None
                    lost.set()
                    if where == "before commit":
                        break
                    target.sendall(data)
                    continue
                if not out and lost.is_set():
                    break  # the server has answered the COMMIT: it was executed
                target.sendall(data)
        except OSError:
            pass
        self.cuts += lost.is_set()
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
