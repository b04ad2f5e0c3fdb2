"""An English sentence taken apart into clauses, each beginning with the one who acts.

Clauses that are not stated (conditions, what others say, what is imagined) are left out; where a
clause goes on about the speaker without naming them, an "I" is put before it.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from memory.mining.rules.english.frames import FRAMES
from memory.mining.rules.english.wording import plain
from memory.mining.rules.reading import Reading

_ME = r"(?:I(?:'m|'ve|'d|'ll)?|we(?:'re|'ve|'d|'ll)?|my|our)(?![\w'])"
_SUBJECT = (
    rf"(?:{_ME}|(?:he|she|they|it|that|there|you|who|what)(?:'\w+)?(?![\w'])"
    r"|(?:this|these|those|your|his|her|their|its|which|everyone|people|please|thanks|thank|can|could"
    r"|how|any|do|does|should|would|let|let's|don't|always|never|so that|hope|hoping|wondering"
    r"|looking for|need|home is|always|never)(?![\w']))"
)
_AND = r"(?:and|but|so|yet|or|then|plus|also|though|although|while|whereas|because|cause|cuz|bc|coz|since|as|given that|considering|now that)"
# What begins a part of which it is not said that it is so.
_UNSTATED = (
    r"(?:if|unless|when|whenever|until|till|once|whether|before|after|in case|as if|as though"
    r"|the (?:first|last|next|day|time|moment|way|thing|things|one|ones)|where|that|than|what|how|why|like)"
)
# "usually fiction": a habit needs a deed.
_DEED = r"(?:add|avoid|bake|bring|buy|call|carry|choose|come|cook|cycle|do|drink|drive|eat|end|feel|finish|forget|get|go|have|hold|keep|leave|listen|live|lose|make|meet|opt|order|pay|pick|play|put|read|ride|run|shop|sing|sit|skip|sleep|speak|spend|stand|start|stay|stick|study|swim|take|train|travel|try|use|visit|wake|walk|watch|wear|work|write)"
_VERBS = (
    r"(?:work|live|love|hate|enjoy|prefer|play|speak|study|own|drive|teach|can't|moved|grew up|worked|lived"
    rf"|studied|started|used to|don't|never|(?:always|usually|often)(?= {_DEED}\b)|run|hope to|plan to|write|code|sing"
    r"|paint|have (?:an?|two|three|four|five|no)|am|got|had|joined|finished|graduated|switched|spent|volunteer|commute"
    r"|been \w+ing|turning \d|turned|quit|left|bought|sold|became|retired|broke|lost|won|passed|failed|trained|served|raised|keep|cook|bake|cycle|swim|coach|collect|eat|drink|use|sew|knit|grow|brew|rent|share|hold|sit|do (?:nights|shifts|my)|on (?:insulin|dialysis|metformin|antidepressants|blood thinners))"
)
# What somebody else does or is after "and": "the course starts in May", "Porto is on my list".
_ANOTHER = (
    r"(?:(?:the|an?) (?:(?!and\b|or\b)[\w'-]+ ){1,3}?|(?-i:[A-Z])[\w'-]+ )"
    r"(?:is|are|was|were|isn't|aren't|looks?|seems?|sounds?|starts?|begins?|ends?|opens?|costs?|has|will|would|can|can't)(?![\w'])"
)
# A place or an employer goes before the "where" that only adds something about it.
_PLACE_BEFORE = re.compile(
    r"(?<!know )(?<!is )(?<!tell )(?:\b(?:the|an?|my|our|in|at|to|from|near|of) (?:[\w'-]+ ){0,3}|(?-i:\b[A-Z]))[\w'-]+,?$",
    re.IGNORECASE,
)
_WHERE = "where "
_CUT = re.compile(
    rf"(?:[,;:\u2013\u2014(]|\s-+|\.\.+|\u2026)\s*(?:{_AND} )*(?=(?P<unstated>{_UNSTATED} )?{_SUBJECT})"
    rf"|\s+(?:{_AND} )+(?:(?:now|then|today|lately) (?=I\b|we\b|my\b))?(?=(?P<unstated2>{_UNSTATED} )?{_SUBJECT})"
    rf"|\s+(?=(?P<unstated3>(?:if|unless|when|whenever|until|till|whether|before|after|in case|as if|as though|where(?= I| we)) ){_SUBJECT})"
    rf"|(?:,|\s-+|[;\u2013\u2014])\s+(?:{_AND} )*(?=(?P<implied>{_VERBS}|allergic to|based in|born in|raised in|living in|originally from|married|learning|training for|saving (?:up )?for|studying|retraining)(?![\w']))"
    rf"|\s+(?:and|but|then)\s+(?=(?P<carried>{_VERBS}|allergic to|based in|originally from)(?![\w']))"
    rf"|\s+(?:and|but)\s+(?=(?P<another>{_ANOTHER}))"
    r"|(?<!\bif)(?<!\bdo)(?<!\bdid)(?<!\bcan)(?<!ould)(?<!might)(?<!\bmay)(?<!will)(?<!that)(?<!than)(?<!what)(?<!how)(?<!where)(?<!why)(?<!like)(?<!wish)(?<!hope)(?<!think)(?<!\bam)(?<!said)(?<!says)(?<!say)(?<!told)(?<!imagine)(?<!pretend)(?<!whether)(?<!unless)(?<!until)(?<!once)(?<!time)(?<!the day)(?<!when)(?<!guess)(?<!believe)(?<!whenever)(?<!before)(?<!after)(?<!mean)(?<!all)(?<!anything)(?<!everything)(?<!thing)(?<!one)(?<!only)(?<!as)(?<!which)(?<!who)"
    r"\s+(?=(?:my name is|I'm (?:an? (?!bit|little|lot|few)\w+|\d\d\b(?! (?:minutes|percent|%))|allergic|vegan|vegetarian|coeliac|diabetic|deaf|blind|retired|pregnant|married|divorced)|I (?:(?:live in|work (?:at|for|in)) (?=(?-i:[A-Z]))|work as|teach|coach|clean|come from|grew up)|I've got an?|I've been \w+ing)(?![\w']))"
    rf"|,\s+(?:{_AND} )+(?=(?:before|after|during|since|until|in|at) [^,;:]{{1,40}} (?:I|we)(?:'ve|'d)? )"
    r"|[;\u2013\u2014\u2026]\s*|\s-+\s|\.\.+",
    re.IGNORECASE,
)
_OPENER = re.compile(
    r"(?:(?:and|but|so|yet|ok|okay|oh|o{2,}h|ah|aha|hmm+|hm|uh|um+|er|erm|yeah|yep|yup|yes|anyway|anyhow|also|plus|then|ps|p\.s\."
    r"|(?:mate|man|bro|dude|guys|folks|friend|buddy|pal|lads|y'all)(?=[,.!]| (?:I|we|my|our)\b)|ok(?:ay)?,? here's the deal|here's the (?:deal|thing|situation)|(?:first|one) thing(?=[,:])|first off|for starters|hand on heart"
    r"|as an aside|while I'm here|while we're at it|not that you asked|you (?:might|may|should) (?:as well |want to )?know|did I (?:say|tell you)|I've been meaning to say|nobody's told you but|tell you what|confession(?=[,:])|disclaimer(?=[,:])"
    r"|(?:well|no|nope|nah|right|alright|sure|now|cool|great|perfect|nice|awesome|wow|sorry|correction|like|honest)(?=[,.!:;\u2014-])|(?:well|now|no)(?= I\b)"
    r"|(?:because|cause|cuz|since|as|though|although|while|whereas|given that|considering|now that)(?= (?:I|we|my|our)\b)|fun fact"
    r"|thanks(?: (?:a (?:lot|ton|bunch|million)|again|so much))?|thank you(?: so much)?"
    r"|for context|context|background|some background|for background|for reference|fyi|heads up|update"
    r"|(?:just )?so (?:that )?you (?:know|have (?:some )?context|are aware)|in case (?:you're wondering|you need it|it (?:matters|helps|is relevant|'s relevant))"
    r"|if (?:it|that|this) (?:matters|helps|makes a difference|is relevant|'s relevant)|if you must know|if you're wondering|if you ask me"
    r"|(?:I )?(?:dunno|don't know|not sure|unsure) if (?:it|this|that)(?:'s| is)? (?:matters?|helps?|relevant|useful|important)"
    r"|(?:ok(?:ay)? )?some background so you know who you're talking to|about me|a bit about me|a little about me|to give (?:you )?(?:some|a bit of) context"
    r"|the thing is|thing is|truth is|the truth is|long story short|turns out|it turns out|as a (?:quick )?(?:side ?)?note|side ?note|quick (?:note|question|update)"
    r"|in my (?:spare|free) time|for (?:what|my) .{1,20}? worth|hey|hi|hello|hi there|hey there|hello there|good (?:morning|evening|afternoon)|guess what|lately|let me (?:correct|clarify|add)|I (?:should|have to|need to) (?:add|mention|correct something|clarify)|I forgot to (?:say|mention)|did I mention|just to (?:clarify|correct (?:that|you|myself)))"
    r"(?:[ ,:;!.\-\u2013\u2014]+(?:that )?|$))+",
    re.IGNORECASE,
)
_GREETING = re.compile(r"(?:hi|hello|hey|good (?:morning|evening|afternoon))\b", re.IGNORECASE)
_SETTING = re.compile(
    r"(?:in|on|at|for|during|since|after|over|these|this|last|every|most|some|back|until|previously|formerly"
    r"|nowadays|ever since|because of|thanks to|coming from|being|speaking of|when it comes to|as for|apart from"
    r"|besides|unlike|with|by|as an?|once|one day|someday|before|normally|usually|generally|typically|sometimes|often|originally|growing up"
    r"|as far as|as of|as from|starting|from|on top of that|to this day|all my life|my whole life|for years|for ages|twice|three times|each)\b"
    r"[^,;:]{0,70}?,? (?=(?:I|we)(?:'m|'ve|'d|'ll|'re)?(?![\w']))",
    re.IGNORECASE,
)
_IMPLIED_AM = re.compile(
    r"(?:allergic to|married to|dating|engaged to|based in|originally from|working (?:on|at|as|in|for|from|towards)"
    r"|living in|training for|saving (?:up )?(?:for|to)|learning|studying|planning|hoping|trying to|looking forward to"
    r"|obsessed with|addicted to|a?\s?(?:big|huge|massive|lifelong|long-?time) fan of|not (?:an? )?(?:big |huge )?fan of|not into|not keen on|(?:super|heavily|totally|massively|quite) into"
    r"|flying to|flying out|moving to|moving|writing an?|building an?|renovating|restoring|vegan|vegetarian|pescatarian|lactose|coeliac|celiac"
    r"|born (?:and raised )?in|raised in|intolerant|colou?r ?blind|getting married|going to|terrified of|scared of|afraid of|fluent in|native|self-taught"
    r"|pregnant|halfway through|in the middle of|knee-deep in|half-?way|off to|laid off|made redundant|diagnosed with|widowed|divorced|separated|expecting|new to|tired of|pursuing|due (?:on|in)|down to my|(?:rubbish|terrible|bad|good|great|excellent|useless|hopeless|decent) at"
    r"|currently|sick of|fed up with|tired of|left-handed|diabetic|fond of|keen on|retired|aiming|dreaming of|teaching|running an?|starting|designing|developing|developing|translating|organi[sz]ing|putting together|in my \w+ year)\b"
)
_IMPLIED_I = re.compile(
    r"(?:started|moved|grew up|finished|graduated|worked|lived|studied|visited|quit|switched|joined|turned|adopted|bought"
    r"|spent|volunteered|learned|learnt|taught|ran|hiked|climbed|wrote|built|got|had an?|became|retired|passed|met|loved|hated"
    r"|can't|can (?:speak|play|juggle|cook|drive|swim|sew|knit|code|type|ride)|don't (?:like|eat|drink|love|enjoy|own|smoke|have|drive|do|speak)|love|hate|enjoy|prefer|adore|play|speak|used to|been|never (?:been|liked|eat|drink|learned|learnt)"
    r"|sold|signed up|booked|entered|sprained|broke|lost|survived|failed|earned|won|inherited|raised|grew|served|emigrated|settled|relocated|dropped out|picked up|took up|gave up|stopped|planted|restored|published|applied|swapped|ditched|upgraded|converted|fostered|rescued|coached|managed|founded|opened|closed|swam|cycled|rode|sailed|flew|backpacked|interned|enrolled|qualified|retrained|once (?:got|had|met|saw|ate|won|lost|broke|spent|drove|fell|ran|flew|swam|built)|promised|decided|platinumed|competed|trained|want to|hope to|plan to|need to"
    r"|work (?:at|as|in|for|from|nights|remotely|part)|live in|live with|have (?:an?|two|three|four|five|\d)|dislike|detest|despise|own an?|drive an?|need to be|have to be)(?![\w'])",
)
# Any other deed or doing that has an object of its own: "ported my whole blog", "spreading my ashes".
_OBJECT = r"(?:my|our|an?|the|to|from|in|into|out|up|over|off|with|for|at|every|all|two|three|four|five|\d+)"
_IMPLIED_DEED = re.compile(
    r"(?!(?:widowed|divorced|married|separated|retired|diagnosed|laid|born|raised|allowed|banned|based|given|related|compared|according|used|needed|required|attached|supposed|called|named|titled|entitled|interested|located"
    r"|dedicated|designed|intended|limited|focused|reduced|increased|advanced|united|need|feed|seed|speed|indeed|hundred|added|updated|fixed|asked|tried|wanted|assumed|expected|provided|excited|confused|worried|stuck|tired|related|included|compared)\b)"
    rf"(?:[a-z]{{2,}}ed|left|had|went|took|gave|came|did|made|said goodbye|put|ate|drank|knit|read|drew|fell|flew|kept|led|held|hit|hurt|let go|saw|sang|sat|slept|spoke|stood|taught|told|threw|wore) {_OBJECT}(?![\w'])|once [a-z]{{3,}}ed (?!and\b|by\b)|left (?:school|home|uni|university|college|law|teaching|nursing|banking|work) (?:at|in|when|for|to)\b"
)
_IMPLIED_DOING = re.compile(
    r"(?!(?:looking|wondering|thinking|regarding|concerning|considering|according|including|following|during|using|being|having|getting|speaking|preparing|assuming|thing|nothing|something|anything|everything|morning|evening|king|ring|string|spring|bring|sing|ceiling|interesting|amazing|exciting|leading|starting|beginning|depending|pending|adding|asking|calling|checking|comparing|depending|ending|building|wedding|meeting|reading|running|missing|setting|training|rating|warning|hearing)\b)"
    rf"[a-z]{{2,}}ing {_OBJECT}(?![\w'])"
)
_HEADING = re.compile(r"\w+ing\b[^.!?]{2,60}:")
_GERUND_SUBJECT = re.compile(
    r"\w+ing\b[^,;]{0,60}:|\w+ing\b(?:(?!\b(?:I|I'm|my|we|our)\b)[^;.!?]){0,200}, (?:(?!\b(?:I|I'm|my|we|our)\b)[^;.!?]){0,200} are |\w+ing\b[^,;]{0,80} (?:is|isn't|are|was|were|sounds?|must|requires?|involves?|looks?|might|should|will|does|doesn't|can't|means|gave|gives|helped|brings?|became|makes?|takes?|can|could|would|seems?|feels?|sucks|has|helps?)\b",
    re.IGNORECASE,
)
# "Built with Go, this tool …" and "Enjoy your stay" leave no "I" out.
_OTHERS_DEED = re.compile(
    r"enjoy\b[^.]*\byour\b|(?:built|founded|published|opened|restored|planted|converted|managed|coached|designed|written|served|applied|raised|inherited)"
    r" (?:using|with|by|in|on|from|for|over|around|to)\b|[^,;.]*\b(?:your|yourself)\b",
    re.IGNORECASE,
)
_IMAGINED = re.compile(
    rf"{FRAMES}|\b(?:if|assuming|unless|I(?:'d| would) (?:tell|say)|imagine|suppose|supposing|pretend|hypothetically|let's say|say|wish|what if|whether"
    r"|as though|as if|in (?:the|my|this|a|our) (?:story|novel|game|book|dream|movie|film|show|series|song|sim|simulation|campaign|rp|minecraft|d&d|play|sketch|scene)|two truths and a lie|for example|e\.g|example:)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:(?:he|she|they|it|who|you|everyone|people|someone|somebody|the \w+|(?:my|his|her|our|their|your) [\w-]+|[A-Z]\w+)(?:'s|'re)?"
    r"(?: \w+){0,2}? (?:says?|said|thinks?|thought|claims?|claimed|believes?|believed|wrote|writes|asks?|asked|assumes?|assumed|told|tells|keeps? (?:saying|telling)"
    r"|was like|were like|is like|goes|insists?|insisted|swears?|complain\w*|replied|answered|mentioned|reckons?|wants? me to|suggested)"
    r"|never said|didn't say|wouldn't say|don't think|not saying|not true that|isn't true that|doubt(?: that)?|saying|says|quote)\b[^,;]{0,30}$"
)
# What puts right what somebody else got wrong, or is not meant.
_NOT_MEANT = re.compile(
    r"\b(?:where (?:do|did|does) (?:you|that|this)|no idea where|mixing me up|mixed me up|confusing me with|thinking of some(?:one|body) else|wrong person"
    r"|you (?:made|must have made) (?:that|it) up|you got that wrong|at this point in my life|basically (?:\d|an?\b)|just kidding|j/k|jk)\b|at this point(?:$|[ ,!.]*(?:lol|haha|my))|^(?:lol |haha )?(?:oh |ah |yeah,? )?(?:sure|yes,? officer|right)[,.]? (?=I\b)|\bcall me \w+ in (?:the|this|our) (?:story|game|scene|play)|^(?:oh (?:great|joy|wonderful|fantastic|fun|how)|yeah,? (?:sure|right)|sure,? because|wow,? (?:great|thanks))\b",
    re.IGNORECASE,
)
_CARRIES = re.compile(r"I(?:'m|'ve)? ", re.IGNORECASE)
# "My friend from college, David": what follows is what David did.
_PRESENTED = re.compile(
    r"\b(?:my|our|his|her|their|the) (?:[\w'-]+ ){0,5}?[\w'-]+, (?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)?$"
)
_OPEN_ENDED = re.compile(
    r"\b(?:to|can|could|would|will|let|me|might|should|who|that|which|how|what|where|why|whether|both|not|don't|didn't|never)\b|n't\b"
)


def clauses(stated: str) -> Iterator[Reading]:
    """The stated clauses of the stated part of a sentence in order, then the sentence as a whole."""
    whole = plain(stated)
    if _NOT_MEANT.search(stated):
        return
    opener = _OPENER.match(whole.text)
    sentence = whole.part(opener.end() if opener else 0, len(whole.text))
    begin, subject = 0, "itself" if _HEADING.match(whole.text) else ""
    for end, following, about in _cuts(sentence.text):
        clause = _clause(sentence, begin, end, subject)
        if clause is not None:
            yield clause
            yield from _without_setting(clause)
        begin, subject = following, about
    yield replace(whole if _GREETING.match(whole.text) else sentence, whole=True)


def _cuts(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each clause ends, where the next one begins, and who that one is about: "I" when this
    goes without saying, "?" when it is not stated."""
    begin = 0
    for cut in _CUT.finditer(text):
        found = cut.groupdict()
        about = ""
        if found["carried"] or found["implied"]:
            before = _OPENER.sub("", text[begin : cut.start()], count=1)
            if not _CARRIES.match(before) or _PRESENTED.search(before):
                continue
            if found["carried"] and _OPEN_ENDED.search(before):
                continue
            about = "I"
        elif found["another"] and not _CARRIES.match(text[begin : cut.start()]):
            continue
        elif found["unstated"] or found["unstated2"] or found["unstated3"]:
            about = "?"
        following = cut.end()
        if about and _is_aside(text, cut):
            following, about = following + len(_WHERE), ""
        yield cut.start(), following, about
        begin = following
    yield len(text), len(text), ""


def _is_aside(text: str, cut: re.Match[str]) -> bool:
    """Whether "where I …" only adds to a place just named: "the library, where I volunteer"."""
    return text.startswith(_WHERE, cut.end()) and bool(_PLACE_BEFORE.search(text, 0, cut.start()))


def _clause(sentence: Reading, begin: int, end: int, subject: str) -> Reading | None:
    before = sentence.text[:begin]
    if subject == "?" or _IMAGINED.search(before) or _SAYS.search(before.rstrip(" ,:-\u2013\u2014;")):
        return None
    opener = _OPENER.match(sentence.text, begin, end)
    clause = sentence.part(opener.end() if opener else begin, end)
    if not clause.text:
        return None
    if subject:
        return _with_subject(clause) if subject == "I" else clause
    return _with_implied(clause) if not begin or opener else clause


def _without_setting(clause: Reading) -> Iterator[Reading]:
    setting = _SETTING.match(clause.text)
    if setting and not _IMAGINED.search(setting[0]):
        yield clause.part(setting.end(), len(clause.text))


def _with_subject(clause: Reading) -> Reading:
    return _with_implied(clause) if _IMPLIED_AM.match(clause.text) else clause.headed("I ")


def _with_implied(clause: Reading) -> Reading:
    """The clause with the "I" or "I'm" that goes without saying where it begins with a verb."""
    words = clause.text[:1].lower() + clause.text[1:]
    if _GERUND_SUBJECT.match(words) or _OTHERS_DEED.match(words):
        return clause
    if _IMPLIED_AM.match(words):
        return clause.headed("I'm ")
    if words.startswith("been "):
        return clause.headed("I've ")
    if _IMPLIED_DOING.match(words):
        return clause.headed("I'm ")
    done = _IMPLIED_I.match(words) or _IMPLIED_DEED.match(words)
    return clause.headed("I ") if done else clause
