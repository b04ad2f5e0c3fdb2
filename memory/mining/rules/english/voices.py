"""Words by which a message speaks in a voice that is not its writer's, or of a case that is only thought of:
"asking for a friend: I'm 17", "worst case: I'm broke", "for this exercise I'm the landlord"."""

import re

from memory.mining.rules.english.classes import KIN_WORDS

BEFORE = 90

_OTHER = (
    rf"(?:(?:my|our|his|her|the|a|one of (?:my|our)) (?:[\w'-]+ ){{0,2}}?(?:{KIN_WORDS}|boss|manager|supervisor|neighbou?r|tenant|landlord|landlady|flatmate|roommate|housemate|colleague|coworker|friend|mate|patient|client|customer|student|pupil|lodger|au pair|nanny|teacher|doctor|guy|woman|man|lady|kid|reader|user|caller|guest)s?"
    r"|he|she|they|someone|somebody|people|everyone|reddit|half of me|a part of me|part of me)"
)
_SAYS = r"(?:says?|said|goes|went|thinks|claims?|claimed|tells? me|told me|writes?|wrote(?: that)?|asks|asked|keeps saying|introduced (?:herself|himself|themselves)|insists?|swears|reckons)"
_FRAME = (
    r"(?:picture (?:this|the scene)|(?:worst|best|dream|test|edge|hypothetical|use)[- ]case(?: scenario)?|thought experiment|(?:someone|somebody|a person|people) like this|\w+ years from now,? ideally"
    r"|asking (?:this )?for (?:a|my|our) [\w ]{2,25}|(?:typing|writing|filling (?:this|it)(?: in| out)?|posting|asking this) for my \w+[^\n:.?!]{0,20}|(?:her|his|their) (?:own )?words|verbatim[^\n:.?!]{0,25}"
    r"|question from the [\w ]{3,20}|(?:let's|let us|can we|want to|to) (?:practi[sc]e|rehearse|act out)[^\n:.?!]{0,40}(?=:)|mock (?:call|interview|exam)|reading (?:this|it) off [\w ]{3,20}|my sim(?: \w+)? is \w+|plan [a-d] was"
    r"|put (?:this|these) in(?:to)? the [\w ]{4,20}|(?:in|for) (?:the|my) (?:negative|passive|past tense|plural))"
)

_FRAMED = re.compile(
    rf"\b(?:{_FRAME}(?: \w+){{0,3}}[:,] "
    r"|(?:thought experiment|mock (?:call|interview)|(?:worst|best) case)(?=[.:,] | I\b| my\b)|for the sake of argument|in my dreams|for (?:this|the) (?:exercise|game|scene|demo|skit|simulation)|half of me thinks|let x be|provided (?:that )?(?:they|he|she|it|the|we|I)\b[^\n.]{3,60},"
    r"|(?:test test|testing testing|testy|testville|test mctest\w+|AITA|dear sir or madam|dear hiring (?:manager|team)|(?:the )?(?:chorus|verse|refrain|lyrics) (?:go|goes|is|should be)|(?:talk to me )?like I(?:'m| am) (?:five|5|a (?:child|kid)))\b)",
    re.IGNORECASE,
)
_SPEECH = re.compile(r": (?=(?:\w+, )?(?:I|my)\b)", re.IGNORECASE)
_SPEAKER = re.compile(
    rf"\b{_OTHER}(?:'s (?:situation|line|words|message|text|status|bio|profile|post))?(?: {_SAYS}|,? (?:over the \w+ )?(?:this morning|today|yesterday|last night)|)(?: [\w' ]{{0,24}})?$",
    re.IGNORECASE,
)
_TAG = re.compile(rf"\b(?:{_SAYS}|according to|per|goes on|keeps on)\b", re.IGNORECASE)
_TAGGED = re.compile(
    rf"\b(?:according to|per) (?:him|her|them|{_OTHER})\W{{1,2}}I\b|\b(?:I|I'm|my)\b[^\n.?!:]{{3,60}}, (?:{_SAYS} {_OTHER}|{_OTHER} {_SAYS}|said (?:no ?(?:one|body)))\b"
    rf"|\b{_OTHER} (?:{_SAYS}|goes on about how|keeps on about how)(?: (?:to|in|on|at) [\w ]{{3,20}})?,? (?:that )?(?:I|I'm|I've|my)\b(?! (?:should|could|need|must|have to|can't|can|might|ought|shouldn't|was|would|look|seem|am|'m|did|do|don't)\b)(?=[^\n]{{0,80}}\b(?:and|she|he|they|her|his|the)\b)",
    re.IGNORECASE,
)


def another_voice(words: str) -> bool:
    """Whether a message speaks for somebody else, or of a case, anywhere in it."""
    if _FRAMED.search(words):
        return True
    for colon in _SPEECH.finditer(words):
        if _SPEAKER.search(words[max(0, colon.start() - BEFORE) : colon.start()]):
            return True
    for tag in _TAG.finditer(words):
        if _TAGGED.search(words, max(0, tag.start() - BEFORE), tag.end() + BEFORE):
            return True
    return False
