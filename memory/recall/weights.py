"""How much each signal counts when recall puts drawers in order, as data.

All weights are in units of the calibrated likeness of a question and a text, in which unrelated
texts lie about 0 and a good answer about 1. They were chosen on questions over simulated and real
chats, by cross-validation; `docs/decisions` has the figures.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """`words` multiplies the BM25-like score, `time` the nearness to a time that the message names,
    `recency_days` is the half-life of being recent. `sentence` is what the cosine of a single sentence is
    worth beside that of a whole passage, which is rarely as near by chance. `late` multiplies how
    much better than usual the words of a question are met one by one. `misfit` is what a drawer loses
    that the person called not relevant to the very same question, `little` what a message loses
    that only asks or cheers. `project` is added to what belongs to the project that the message is
    about.

    In the order of drawers `room` says how much the evidence of a whole room counts beside the
    drawer's own, and `further` what each further drawer of one room gives up, so that several rooms
    are heard.
    """

    words: float = 0.9
    time: float = 0.14
    recency_days: float = 60.0
    pinned: float = 0.15
    project: float = 0.3
    asked_assistant: float = 0.12
    user: float = 0.08
    tool: float = -0.07
    pointer: float = 100.0
    sentence: float = 0.98
    late: float = 1.7
    misfit: float = -0.4
    little: float = -0.4
    room: float = 1.0
    further: float = 0.12


CHOSEN = Weights()
