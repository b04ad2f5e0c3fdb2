"""A small OpenAI-compatible server on the loopback interface."""

import json
import socket
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

from tests.openai_answers import Behaviour, Endpoint, Json, chat_answer, embedding_answer, stream_events

__all__ = ["Behaviour", "OpenAIServer", "Received"]

_ENDPOINTS: dict[str, Endpoint] = {
    "/v1/chat/completions": "chat",
    "/v1/embeddings": "embeddings",
    "/v1/models": "models",
}


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it arrived; header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: Json


class OpenAIServer:
    """The server, running inside its `with` block.

    `requests` holds what arrived. `disconnected` is set when a client disconnects in mid-stream.
    """

    def __init__(self, *behaviours: Behaviour, port: int = 0, dimensions: int = 1536) -> None:
        self.requests: list[Received] = []
        self.disconnected = threading.Event()
        self.stopping = threading.Event()
        self.dimensions = dimensions
        self._script = deque(behaviours)
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", port), _Exchange)
        self._http.openai = self
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def script(self, *behaviours: Behaviour) -> None:
        """Add behaviours to the end of the queue."""
        with self._lock:
            self._script.extend(behaviours)

    def received(self, endpoint: Endpoint) -> list[Received]:
        return [request for request in self.requests if _ENDPOINTS[request.path] == endpoint]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    def behaviour_for(self, request: Received) -> Behaviour:
        """Record the request and take the first behaviour in the queue that applies to it."""
        endpoint = _ENDPOINTS.get(request.path, "")
        with self._lock:
            self.requests.append(request)
            for behaviour in list(self._script):
                if behaviour.endpoint not in {"", endpoint}:
                    continue
                if behaviour.refuses in request.body:
                    return behaviour
                self._script.remove(behaviour)
                if not behaviour.refuses:
                    return behaviour
        return Behaviour()


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    openai: OpenAIServer


class _ClientDisconnected(Exception):
    pass


class _Exchange(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Http

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        self._serve(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _serve(self, body: Json) -> None:
        if self.server.openai.stopping.is_set():  # serve nothing on a kept-alive connection
            self._cut()
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Received(self.command, self.path, headers, body)
        behaviour = self.server.openai.behaviour_for(request)
        self.server.openai.stopping.wait(behaviour.stall_s)
        with suppress(_ClientDisconnected):
            self._answer(request, behaviour)

    def _answer(self, request: Received, behaviour: Behaviour) -> None:
        endpoint = _ENDPOINTS.get(request.path)
        if endpoint is None:
            missing = {"message": "There is nothing at this address."}
            self._send_error(Behaviour(status=404, error=missing))
        elif behaviour.status >= 400:
            self._send_error(behaviour)
        elif behaviour.refuses:
            refusal = {"param": behaviour.refuses, **behaviour.error}
            self._send_error(Behaviour(status=400, error=refusal))
        elif endpoint == "chat" and request.body.get("stream"):
            self._send_stream(request, behaviour)
        elif behaviour.raw is not None:
            self._send(200, behaviour.raw.encode(), behaviour)
        else:
            answer = behaviour.body or self._composed(endpoint, request, behaviour)
            self._send(200, json.dumps(answer).encode(), behaviour)

    def _composed(self, endpoint: Endpoint, request: Received, behaviour: Behaviour) -> Json:
        if endpoint == "models":
            return {"object": "list", "data": [{"id": "test-model", "object": "model"}]}
        if endpoint == "embeddings":
            dimensions = behaviour.dimensions or self.server.openai.dimensions
            return embedding_answer(request.body, dimensions, behaviour.drops_vectors)
        return chat_answer(request.body, behaviour)

    def _send_error(self, behaviour: Behaviour) -> None:
        # Real endpoints quote the request in their errors, so this one does too.
        message = behaviour.error.get("message", f"Cannot do this: {self.path} {self._quoted()}")
        body = json.dumps({"error": {"message": message, **behaviour.error}}).encode()
        self.send_response(behaviour.status)
        if behaviour.retry_after:
            self.send_header("Retry-After", behaviour.retry_after)
        if behaviour.flood:
            self._start_chunks("application/json")
            self._flood(behaviour.flood)
        self._finish(body)

    def _flood(self, data: bytes) -> None:
        while not self.server.openai.stopping.is_set():
            self._chunk(data)
        raise _ClientDisconnected

    def _quoted(self) -> str:
        last = self.server.openai.requests[-1].body
        return json.dumps(last.get("messages") or last.get("input") or "")

    def _send(self, status: int, body: bytes, behaviour: Behaviour) -> None:
        self.send_response(status)
        if not behaviour.drip_s:
            self._finish(body)
            return
        self._start_chunks("application/json")
        for _ in range(100):
            self._chunk(b" ")
            if self.server.openai.stopping.wait(behaviour.drip_s / 100):
                break
        self._chunk(body)
        self._chunk(b"")

    def _finish(self, body: bytes) -> None:
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(ConnectionError):
            self.wfile.write(body)

    def _start_chunks(self, content_type: str) -> None:
        self.send_header("Content-Type", content_type)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _chunk(self, data: bytes) -> None:
        try:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        except ConnectionError as error:
            self.server.openai.disconnected.set()
            raise _ClientDisconnected from error

    def _send_stream(self, request: Received, behaviour: Behaviour) -> None:
        self.send_response(200)
        self._start_chunks("text/event-stream")
        if behaviour.raw is not None:
            self._chunk(f"data: {behaviour.raw}\n\n".encode())
        if behaviour.flood:
            self._flood(behaviour.flood)
        for count, event in enumerate(stream_events(request.body, behaviour)):
            if count == behaviour.cut_after:
                self._cut()
                return
            if count == behaviour.stall_after:
                self.server.openai.stopping.wait(60)
                return
            self._chunk(f"data: {json.dumps(event)}\n\n".encode())
            self.server.openai.stopping.wait(behaviour.drip_s)
        if behaviour.sends_done:
            self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
