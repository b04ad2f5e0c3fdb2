"""What can go wrong with a benchmark."""


class BenchmarkImpossible(Exception):
    """The benchmark cannot run; the message is a sentence that says why."""
