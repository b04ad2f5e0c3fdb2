"""What can go wrong on the way to a model.

No message here carries a prompt, a reply or the name of a host: endpoints echo the prompt in
their error bodies, and these messages are logged.
"""

from llm.types import Usage


class ModelError(Exception):
    """A model could not do what was asked.

    `permanent` is true when asking again without a change by a person cannot help. `spent` is what
    had to be paid for all the same, None when nothing is known to be.
    """

    permanent = False
    spent: Usage | None = None

    def __init__(self, message: str, *, permanent: bool | None = None) -> None:
        super().__init__(message)
        if permanent is not None:
            self.permanent = permanent


class NoEndpoint(ModelError):
    """No model endpoint is configured."""

    permanent = True

    def __init__(self) -> None:
        super().__init__("No model endpoint is configured: set OPENAI_BASE_URL or OPENAI_API_KEY.")


class ModelUnavailable(ModelError):
    """The endpoint could not be reached, failed, or broke off in the middle."""


class ModelTimeout(ModelError):
    """The endpoint did not answer in time, or stalled in the middle of an answer."""


class ModelRateLimited(ModelError):
    """The endpoint asks to wait; `retry_after` is in seconds when it said for how long."""

    def __init__(
        self, message: str, *, retry_after: float | None = None, permanent: bool | None = None
    ) -> None:
        super().__init__(message, permanent=permanent)
        self.retry_after = retry_after


class ModelRefused(ModelError):
    """The endpoint understood and declined: a wrong key, model name or request.

    `option` is the request option it does not take ("temperature"), when it named one.
    """

    permanent = True

    def __init__(self, message: str, *, status: int | None = None, option: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.option = option


class ModelReplyInvalid(ModelError):
    """The endpoint answered with something that cannot be read."""


class EmbedderUnavailable(ModelError):
    """Texts cannot be turned into vectors now; `reason` is a sentence for people."""

    def __init__(self, reason: str, *, permanent: bool = False) -> None:
        super().__init__(reason, permanent=permanent)
        self.reason = reason
