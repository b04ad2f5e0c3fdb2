"""Words by which a message speaks in a voice that is not its writer's, or of a case that is only thought of:
"asking for a friend: I'm 17", "worst case: I'm broke", "for this exercise I'm the landlord"."""

import re

from memory.mining.rules.english.classes import KIN_WORDS

BEFORE = 90

_ROLE = (
    rf"(?:{KIN_WORDS}|boss|manager|supervisor|neighbou?r|tenant|landlord|landlady|flatmate|roommate|housemate|colleague|coworker|friend|mate|buddy"
    r"|patient|client|customer|student|pupil|lodger|au pair|nanny|teacher|doctor|guy|woman|man|lady|kid|reader|caller|guest)"
)
_PERSON = rf"(?:(?:my|our|his|her|the|an?|one of (?:my|our)) (?:[\w'-]+ ){{0,2}}?{_ROLE}s?)"
_ANYBODY = rf"(?:{_PERSON}|he|she|they|someone|somebody|everyone|reddit|half of me|(?:a )?part of me|(?-i:[A-Z])[a-z]+)"
_SAYS = r"(?:says|said|goes|went|thinks|claims|claimed|tells me|told me|writes|wrote|asks|asked|keeps saying|insists|swears|reckons)"

_FRAMED = re.compile(
    rf"\b(?:(?:asking (?:this )?for (?:a|my|our) (?:[\w'-]+ )?{_ROLE}|(?:typing|filling (?:this|it)(?: in| out)?|posting|writing this|asking this) (?:in )?for my {_ROLE}[^\n:.?!]{{0,20}}"
    r"|picture (?:this|the scene)|dream scenario|hypothetical|worst[- ]case scenario|(?:someone|somebody|a person) like this|\w+ years from now,? ideally"
    r"|in (?:her|his|their) (?:own )?words|question from the (?:back|front|audience|floor|crowd|class)[\w ]{0,20}|reading (?:this|it) off [\w ]{3,20}|my sim(?: \w+)? is \w+|plan [a-d] was)[:,] "
    r"|(?:(?:her|his|their) words|verbatim[^\n:.?!]{0,25}|(?:let's|let us|can we) (?:practi[sc]e|rehearse|act out)[^\n:.?!]{0,40}|(?:in|for) the (?:negative|passive|plural)): "
    r"|(?:thought experiment|mock (?:call|interview))[.:] |(?:worst|best) case:? (?=I\b|my\b|the\b)|half of me thinks|let x be|for the sake of argument|in my dreams"
    r"|for (?:this|the) (?:exercise|scene|skit|simulation|sketch|role-?play),? (?:I'm|I am|I play|I'll be) (?:the|an?) |provided (?:that )?(?:they|he|she|it|the|we) [^\n.]{3,60}, I\b"
    rf"|according to (?:him|her|them|{_PERSON})\W{{1,2}}I(?:'m| am) |introduced (?:herself|himself|themselves),? (?:my|I)\b|(?:goes|keeps|went) on about how I\b|said no ?(?:one|body) (?:in|ever)"
    r"|(?:test test,?|testing testing,?|AITA[,:]?|dear sir or madam,?|dear hiring (?:manager|team),?|(?:chorus|verse|refrain|lyrics) (?:go|goes|is|should be)) )",
    re.IGNORECASE,
)
_SPEECH = re.compile(r": (?=(?:\w+, )?(?:I|my)\b)", re.IGNORECASE)
# Who speaks stands right before the colon, unless it is only said whom or what a question is about.
_SPEAKER = re.compile(
    rf"(?<!about )(?<!with )(?<!for )(?<!from )(?<!\bto )(?<!of )(?<!and )\b(?:{_PERSON}(?:'s (?:situation|line|words|message|text|status|bio|profile|post))?(?:,? (?:over the \w+ )?(?:this morning|today|yesterday|last night))?|{_ANYBODY} {_SAYS}):$",
    re.IGNORECASE,
)
_TAGGED = re.compile(
    rf"\b(?:I|I'm|my)\b[^\n.?!:]{{3,60}}, (?:{_SAYS} {_ANYBODY}|{_ANYBODY} {_SAYS})(?=\s*(?:[,.!?;]|$))",
    re.IGNORECASE,
)
_TAG = re.compile(rf", (?:{_SAYS}\b|{_ANYBODY} {_SAYS}\b)", re.IGNORECASE)


def another_voice(words: str) -> bool:
    """Whether a message speaks for somebody else, or of a case, anywhere in it."""
    words = words.replace("\u2019", "'")
    if _FRAMED.search(words):
        return True
    for colon in _SPEECH.finditer(words):
        if _SPEAKER.search(words[max(0, colon.start() - BEFORE) : colon.start() + 1]):
            return True
    for tag in _TAG.finditer(words):
        if _TAGGED.search(words, max(0, tag.start() - BEFORE), tag.end() + BEFORE):
            return True
    return False
