"""The data sets that can be measured: how each is read, and what counts as found."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bench.cases import Case, Unit
from bench.readers import beam, locomo, longmemeval, memdaily, realmem

HAYSTACKS = longmemeval.HAYSTACKS

Reader = Callable[[Any, str], Iterator[Case]]


@dataclass(frozen=True, slots=True)
class DataSet:
    """A reader; the unit of evidence behind `recall_all@k` and its like; a line of help; and where
    the original is to be had."""

    read: Reader
    unit: Unit
    help: str
    home: str


DATA_SETS: Mapping[str, DataSet] = {
    "longmemeval": DataSet(
        longmemeval.read,
        "session",
        "LongMemEval: which chats hold the answer",
        "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned",
    ),
    "locomo": DataSet(
        locomo.read,
        "session",
        "LoCoMo (and REALTALK): chats of two friends over months",
        "https://github.com/snap-research/locomo, data/locomo10.json",
    ),
    "beam": DataSet(
        beam.read,
        "turn",
        "BEAM: one very long conversation, ten kinds of questions",
        "https://huggingface.co/datasets/Mohammadta/BEAM",
    ),
    "realmem": DataSet(
        realmem.read,
        "session",
        "RealMem: projects over months, asked in order of time",
        "https://github.com/AvatarMemory/RealMemBench, dataset/",
    ),
    "memdaily": DataSet(
        memdaily.read,
        "turn",
        "MemDaily: short trajectories in Chinese",
        "https://github.com/nuster1128/MemSim, data_generation/final_dataset/memdaily.json",
    ),
}
