"""How far one has come with a book, film, series or game, and which work is in hand."""

import re
from dataclasses import replace

from memory.mining.rules.english.amounts import ALREADY
from memory.mining.rules.english.grammar import context
from memory.mining.rules.table import hinted
from memory.mining.rules.templates import Template

_FINISHED = Template(
    "experience",
    "status_of_{object}",
    "has_finished",
    "The user has finished “{object}”.",
    "as_is",
    "finished",
    confidence=0.75,
)
_GOING_ON = replace(_FINISHED, predicate="has_in_hand", statement="The user is {d} “{object}”.", value="{d}")
_STOPPED = replace(
    _FINISHED,
    predicate="has_put_aside",
    statement="The user has put “{object}” aside.",
    value="put aside",
)
_CURRENT = Template(
    "project",
    "current_project",
    "current_project",
    "The user's current project is {object}.",
    "as_is",
    confidence=0.75,
)

_TITLE = r"[\"\u201c](?P<o>(?-i:[A-Z\d])[^\"\u201c\u201d\n]{1,70}?)[,.]?[\"\u201d]"
_BY = r"(?:(?:the|a) (?:book|novel|series|show|film|movie|game|audiobook|podcast|memoir|documentary)(?: called| titled)?,? )?"
_START = r"(?P<lead>(?:[^\n]*?(?:^|[.!?,;:(\u2013\u2014-] |\b(?:and|but|because|since|so|as|that|though|while|after|where) ))??)"
_THING = r"(?P<o>an? (?:[\w'.&-]+ ){0,6}?[\w'.&-]*\w)"
_MADE = r"(?:project|build|model|model kit|kit|painting|sculpture|quilt|puzzle|restoration)"
_END = r"(?=[.,;!?)]|$| (?:and|but|so|which|with|for|in|that)\b| -)"

_HINT = re.compile(r"[\"\u201c]|\b(?:current|switched|moved|turned)\b", re.IGNORECASE)

RULES = hinted(
    _HINT,
    (
        _FINISHED.worded(
            context(
                rf"{_START}I(?:'ve| have)? {ALREADY}(?:finished|completed)(?: (?:reading|watching|listening to|playing))? {_BY}{_TITLE}"
            ),
            (
                (
                    'I also recently finished "The Nightingale" by Kristin Hannah, which was amazing',
                    "The Nightingale",
                ),
                ('We talked, and I just finished reading the novel "Cold Rooms".', "Cold Rooms"),
            ),
            (
                'She finished "Cold Rooms"',
                'I haven\'t finished "Cold Rooms"',
                'Have I finished "Cold Rooms"?',
            ),
        ),
        replace(_FINISHED, statement="The user has {d} “{object}”.").worded(
            context(rf"{_START}(?:I've|I have) {ALREADY}(?P<d>read|watched|seen|listened to) {_BY}{_TITLE}"),
            (('I\'ve already read "Cold Rooms" and loved it', "Cold Rooms"),),
            (
                'She\'s read "Cold Rooms"',
                'I haven\'t read "Cold Rooms"',
                'Have I read "Cold Rooms"?',
            ),
        ),
        _GOING_ON.worded(
            context(
                rf"{_START}I(?:'m|'ve been| am) {ALREADY}(?P<d>reading|watching|re-?reading|re-?watching|listening to|playing|in the middle of|halfway through) {_BY}{_TITLE}"
            ),
            (('I\'m currently reading "Cold Rooms" and like it', "Cold Rooms"),),
            ('He\'s reading "Cold Rooms"', 'I\'m thinking of reading "Cold Rooms"'),
        ),
        _STOPPED.worded(
            context(
                rf"{_START}I(?:'ve| have)? {ALREADY}(?:put down|gave up on|abandoned|stopped reading|stopped watching|paused|put aside|set aside) {_BY}{_TITLE}"
            ),
            (('It was sad, so I put down "Cold Rooms"', "Cold Rooms"),),
            ('She put down "Cold Rooms"', 'I can\'t put down "Cold Rooms"'),
        ),
        _STOPPED.worded(
            context(
                rf"(?P<lead>[^\n]*{_TITLE}[^\n\"]{{0,40}}, which )I(?:'ve| have)? {ALREADY}(?:put down|gave up on|abandoned|stopped reading|stopped watching|paused|put aside|set aside)\b"
            ),
            (
                (
                    'I\'ve been meaning to get back to "Cold Rooms" by Ann Lee, which I put down temporarily - will I finish it?',
                    "Cold Rooms",
                ),
            ),
            (
                'I like "Cold Rooms", which she put down',
                'I like "Cold Rooms", which I can\'t put down',
            ),
        ),
        _CURRENT.worded(
            context(rf"(?P<lead>(?:[^\n]*?[^\w'])??)my current {_MADE},? (?:is )?{_THING}{_END}"),
            (
                (
                    "I need tips on weathering for my current project, a Ford Mustang Shelby GT350R model.",
                    "a Ford Mustang Shelby GT350R model",
                ),
            ),
            ("his current project, a Ford model", "my current project needs a name"),
        ),
        _CURRENT.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)I(?:'ve| have)? {ALREADY}(?:wrapped up|finished|completed) (?:an?|my|the|another) (?:last |first |latest )?(?:[\w-]+ )?{_MADE} and (?:have |I've )?(?:switched|moved on|moved|turned) to {_THING}{_END}"
            ),
            (
                (
                    "I have just wrapped up a model and switched to a Ford F-150 pickup truck.",
                    "a Ford F-150 pickup truck",
                ),
            ),
            (
                "He wrapped up a model and switched to a Ford",
                "I finished a model and switched off.",
            ),
        ),
    ),
)
