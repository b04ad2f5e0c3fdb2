"""A stand-in for a model endpoint that answers at once: `python -m bench.upstream --port N`."""

import argparse
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORDS = ("That", " was", " last", " year", ".")
COUNTS = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def chunks(model: str) -> Iterator[dict[str, Any]]:
    """The events of a short answer."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": model}
    for word in WORDS:
        yield {**head, "choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {**head, "choices": [], "usage": COUNTS}


class Answering(BaseHTTPRequestHandler):
    """Streams the same few words to whoever asks."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in chunks(str(body.get("model"))):
            self._send(f"data: {json.dumps(chunk)}\n\n".encode())
        self._send(b"data: [DONE]\n\n")
        self._send(b"")

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: it is not this program that is measured."""

    def _send(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
        self.wfile.flush()


def main() -> None:
    """Serve until the process is ended."""
    parser = argparse.ArgumentParser(description="Answer every chat with the same few words.")
    parser.add_argument("--port", type=int, required=True)
    ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Answering).serve_forever()


if __name__ == "__main__":
    main()
