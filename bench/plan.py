"""What a run is to do."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from bench.cases import Case, limited
from bench.datasets import DATA_SETS
from bench.files import load
from bench.pooling import pooled
from bench.variants import PATIENCE_MS, Variant

Cases = Callable[[], Iterable[Case]]


@dataclass(frozen=True, slots=True)
class Plan:
    """The benchmark, its data file, which haystack, how many questions, up to which stage, and
    where results go. `vectors` is a file of vectors that several runs may share, `ingested` the
    folder of a run whose kept database is used again; `mined_once` mines a chat that several
    haystacks share only once (`bench.sharing`); `only` ranks by one arm alone; `judge` is
    the model that judges answers, the chat model when empty."""

    benchmark: str
    data: Path
    out: Path
    haystack: str = "haystack"
    limit: int | None = None
    stage: str = "full"
    keep: bool = False
    pooled: bool = False
    mined_once: bool = False
    vectors: Path | None = None
    ingested: Path | None = None
    seed: int = 0
    recipe: str = "default"
    without: tuple[str, ...] = ()
    only: str = ""
    time_limit_ms: int = PATIENCE_MS
    judge: str = ""

    @property
    def variant(self) -> Variant:
        """In which way recall is asked."""
        return Variant(self.recipe, tuple(self.without), self.only, self.time_limit_ms)


def cases_of(plan: Plan) -> Cases:
    """The cases of the data file, each time anew: a haystack of hundreds of chats is not kept.
    Raises BenchmarkImpossible."""
    data = load(plan.data)

    def read() -> Iterable[Case]:
        found = limited(DATA_SETS[plan.benchmark].read(data, plan.haystack), plan.limit)
        return [pooled(found)] if plan.pooled else found

    return read
