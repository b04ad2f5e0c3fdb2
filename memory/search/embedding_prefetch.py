"""Embed ahead in a second thread.

That is the next window of a chat while one is filed, or a question while full-text search runs.
"""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from llm.gateway import Embedder
from llm.types import Embeddings

MAX_GUESSES = 2

Asked = str | Sequence[str]
"""A question, or the texts of documents."""
_Key = tuple[str, str | tuple[str, ...]]


class EmbeddingPrefetch:
    """A context manager that embeds expected texts in a second thread.

    Expectations are guesses: anything else is embedded on demand. Only local models, which cost
    nothing, are used.
    """

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="embedding-ahead")
        self._futures: dict[_Key, Future[Embeddings]] = {}

    def __enter__(self) -> "EmbeddingPrefetch":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._executor.shutdown(wait=kind is None, cancel_futures=True)

    def expect(self, embedder: Embedder, asked: Asked) -> None:
        """Start embedding what will probably be asked for soon."""
        key = _key(embedder, asked)
        if not asked or not embedder.model.local or key in self._futures:
            return
        while len(self._futures) >= MAX_GUESSES:
            oldest = next(iter(self._futures))
            self._futures.pop(oldest).cancel()
        self._futures[key] = self._executor.submit(embed, embedder, asked)

    def take(self, embedder: Embedder, asked: Asked) -> Embeddings:
        """The vectors, prefetched or made now. Raises ModelError."""
        future = self._futures.pop(_key(embedder, asked), None)
        return future.result() if future else embed(embedder, asked)


def _key(embedder: Embedder, asked: Asked) -> _Key:
    return embedder.model.key, asked if isinstance(asked, str) else tuple(asked)


def embed(embedder: Embedder, asked: Asked) -> Embeddings:
    """The vectors of a question or of documents. Raises ModelError."""
    return embedder.embed_query(asked) if isinstance(asked, str) else embedder.embed_documents(asked)
