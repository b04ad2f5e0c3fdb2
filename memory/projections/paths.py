"""Finds paths that worked in a chat with tools: what was asked, what failed, what worked.

Rules are modest here: a path counts only when a tool was used, its last use did not fail, and the
person then said that it works.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.mining.screening import mask_secrets
from memory.models import Drawer
from memory.sanitising import hidden_characters

GOAL_LENGTH, APPLIES_LENGTH = 300, 300
STEP_LENGTH, MOST_STEPS = 200, 5
SAID_LENGTH = 600
OPENING = 400

_FAILED = re.compile(
    r"\berrors?\b|\bexceptions?\b|\btraceback\b|\bfail(?:ed|ure|s)\b|\bnot found\b|\bdenied\b"
    r"|\bno such file\b|\bfatal\b|\bunable to\b|\b(?:exit|status)(?: code)?:? [1-9]\d*\b|\btimed out\b"
    r"|\bfehler|\berreur|错误|失败|ошибк",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:0|no|without|zero)(?: \w+)? (?:errors?|failures?|exceptions?)\b|\b0 failed\b", re.I
)
_CONFIRMED = re.compile(
    r"\b(?:(?:that|this|it|which) (?:worked|works|did it|fixed it|solved it)|works (?:now|again|fine"
    r"|perfectly|great)|(?:is|it's|all) (?:working|fixed|solved)(?: now)?|that fixed|problem solved"
    r"|(?:hat|es) (?:funktioniert|geklappt)|funktioniert jetzt|klappt (?:jetzt|wieder)"
    r"|(?:ya |ahora )?funciona(?: ya| ahora|\b)|funcionó|(?:ça|cela) (?:marche|fonctionne)|a marché"
    r"|работает|сработало|получилось|заработал[оаи]?)\b|成功了|可以了|好用了|解决了|能用了",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"n['’]t\b|\bnot\b|\bno\b|\bnever\b|\bstill\b|\bnicht\b|\bkein|\bne\b|\bpas\b|\bне\b|没|不|未"
    r"|\bif\b|\bwenn\b|\bsi\b|\bесли\b|如果|[?？]",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_CALL = re.compile(r"(?:^|\n)(?P<tool>[\w.:-]{2,60}) (?P<arguments>\{.*\})\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Path:
    """A way that worked: the goal and the words of the reply as they were said, the calls that
    failed and that worked, a line each, and the drawers all of it stands in."""

    goal: str
    worked: str
    failed: str
    drawer_ids: tuple[UUID, ...]


def paths(drawers: Sequence[Drawer]) -> Iterator[Path]:
    """The paths in the drawers of one chat, which come in the order they were said."""
    episode: list[Drawer] = []
    for drawer in drawers:
        episode.append(drawer)
        if drawer.role == Drawer.Role.USER and _confirms(drawer.content):
            path = _path(episode)
            if path is not None:
                yield path
            episode = []


def _path(episode: Sequence[Drawer]) -> Path | None:
    tools = [place for place, drawer in enumerate(episode) if drawer.role == Drawer.Role.TOOL]
    if not tools:
        return None
    asked = [d for d in episode[: tools[0]] if d.role == Drawer.Role.USER]
    if not asked or _has_failed(episode[tools[-1]].content):
        return None
    used = episode[episode.index(asked[-1]) :]
    if any(drawer.sensitive or hidden_characters(drawer.content) for drawer in used):
        return None
    failed, worked = _steps(used)
    reply = next((d for d in reversed(used) if d.role == Drawer.Role.ASSISTANT), None)
    said = _CALL.sub("", reply.content) if reply else ""
    return Path(
        goal=_cut(asked[-1].content, GOAL_LENGTH),
        worked="\n".join(filter(None, [*worked, _cut(said, SAID_LENGTH)])),
        failed="\n".join(failed),
        drawer_ids=tuple(drawer.id for drawer in used),
    )


def _steps(used: Sequence[Drawer]) -> tuple[list[str], list[str]]:
    """The calls that failed and those that worked, each in a line, the last ones when there are
    many."""
    failed, worked, call = [], [], ""
    for drawer in used:
        found = _CALL.search(drawer.content)
        if found:
            call = _cut(f"{found['tool']} {found['arguments']}", STEP_LENGTH)
        if drawer.role != Drawer.Role.TOOL:
            continue
        if _has_failed(drawer.content):
            failed.append(": ".join(filter(None, [call, _complaint(drawer.content)])))
        elif call:
            worked.append(call)
        call = ""
    return failed[-MOST_STEPS:], worked[-MOST_STEPS:]


def _has_failed(result: str) -> bool:
    return bool(_FAILED.search(_HARMLESS.sub("", result[:OPENING])))


def _complaint(result: str) -> str:
    """The first line of a result that tells of the failure."""
    lines = (line for line in result.splitlines() if _FAILED.search(_HARMLESS.sub("", line)))
    return _cut(next(lines, ""), STEP_LENGTH)


def _confirms(words: str) -> bool:
    """Whether a sentence says that it works, without a doubt in it."""
    sentences = _SENTENCE.findall(words[:OPENING])
    return any(
        _CONFIRMED.search(sentence) and not _DENIED.search(sentence) for sentence in sentences
    )


def _cut(words: str, length: int) -> str:
    """The words in one line without secrets, cut at a length."""
    line = " ".join(mask_secrets(words[: length * 4]).split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"
