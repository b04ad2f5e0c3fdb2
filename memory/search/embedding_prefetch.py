"""Embed ahead in a second thread.

That is the next window of a chat while one is filed, or a question while full-text search runs.
"""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType

from llm.gateway import Embedder
from llm.types import Embeddings

MAX_GUESSES = 2

_Key = tuple[str, tuple[str, ...]]

_QUESTION = "question:"


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

    def expect(self, embedder: Embedder, texts: Sequence[str]) -> None:
        """Start embedding texts that will probably be asked for soon."""
        key = (embedder.model.key, tuple(texts))
        if not texts or not embedder.model.local or key in self._futures:
            return
        while len(self._futures) >= MAX_GUESSES:
            oldest = next(iter(self._futures))
            self._futures.pop(oldest).cancel()
        self._futures[key] = self._executor.submit(embedder.embed_documents, key[1])

    def expect_question(self, embedder: Embedder, text: str) -> None:
        """Start embedding a question that will be asked for soon."""
        if text and embedder.model.local:
            key = (_QUESTION + embedder.model.key, (text,))
            self._futures[key] = self._executor.submit(embedder.embed_query, text)

    def take(self, embedder: Embedder, texts: Sequence[str]) -> Embeddings:
        """The vectors of these texts, prefetched or made now. Raises ModelError."""
        future = self._futures.pop((embedder.model.key, tuple(texts)), None)
        return future.result() if future else embedder.embed_documents(texts)

    def take_question(self, embedder: Embedder, text: str) -> Embeddings:
        """The vector of this question, prefetched or made now. Raises ModelError."""
        future = self._futures.pop((_QUESTION + embedder.model.key, (text,)), None)
        return future.result() if future else embedder.embed_query(text)
