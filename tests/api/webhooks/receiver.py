"""A local webhook receiver with scripted responses."""

import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """The received messages, and the statuses of the next responses (then 200). `slow_s` is the pause
    between the bytes of a response."""

    statuses: list[int] = field(default_factory=list)
    slow_s: float = 0.0
    messages: list[tuple[dict[str, str], bytes, str]] = field(default_factory=list)

    def __enter__(self) -> "Receiver":
        receiver = self

        class Answering(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.messages.append((headers, body, self.path))
                status = receiver.statuses.pop(0) if receiver.statuses else 200
                if receiver.slow_s:
                    self._drip(status)
                    return
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", f"{receiver.url}elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def _drip(self, status: int) -> None:
                for byte in f"HTTP/1.1 {status} OK\r\nX-Slow: {'x' * 100}\r\n\r\n":
                    try:
                        self.wfile.write(byte.encode())
                    except OSError:
                        return
                    time.sleep(receiver.slow_s)

            def log_message(self, *arguments: Any) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Its URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/"
