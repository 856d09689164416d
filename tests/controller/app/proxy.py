"""A network between a client and a broker that can be cut, or hold back what is sent."""

import contextlib
import socket
import threading


class Proxy:
    """Forwards TCP connections on a port of its own to `target` on this machine."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._flowing = threading.Event()
        self._flowing.set()
        self._open = True
        self._reachable = True
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self) -> None:
        """From now on nothing arrives, in neither direction, and nobody is told."""
        self._flowing.clear()

    def release(self) -> None:
        """What was held back arrives, and all that follows."""
        self._flowing.set()

    def cut(self) -> None:
        """Break all connections and let no new one through."""
        self._reachable = False
        self._break()

    def mend(self) -> None:
        """Let connections through again."""
        self._reachable = True

    def close(self) -> None:
        self._open = False
        self._flowing.set()
        self._listener.close()
        self._break()

    def _break(self) -> None:
        sockets, self._sockets = self._sockets, []
        for sock in sockets:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _accept(self) -> None:
        while self._open:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if not self._reachable:
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                near.close()
                continue
            self.connections += 1
            self._sockets += [near, far]
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self._forward, args=pair, daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self._flowing.wait()
                sink.sendall(data)
        for sock in (source, sink):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
