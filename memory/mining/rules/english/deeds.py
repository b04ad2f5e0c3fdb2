"""What somebody went through, told by any deed that has a year, an age, a length or a place."""

from dataclasses import replace

from memory.mining.rules.english.classes import FRESH, NOT_MINE
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import WORKED, Template

_DID = Template(
    "experience",
    "experience_{slug}",
    "experienced",
    "The user said: “I {said}”.",
    "deed",
    confidence=0.7,
)
_BEHIND = Template(
    "experience",
    "years_{slug}",
    "has_years_of",
    "The user has behind them: {object}.",
    "deed",
    confidence=0.75,
)
_WORKED = replace(WORKED, confidence=0.8)
_COUNT = r"(?:\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|twenty-\w+|thirty-\w+)"
_PAST = r"(?!(?:asked|tried|wanted|needed|noticed|added|updated|fixed|used|installed|followed|checked|changed|looked|thought|mentioned|hoped|liked|loved|hated|enjoyed|planned|forgot|expected|decided|called|said|realised|realized|remembered|wondered|searched|read that|heard|missed|stopped|started to|named|typed|clicked|pasted|copied|downloaded|uploaded|opened the|had an? (?:question|idea|problem|meeting|feeling|chat|call|look|great|good|bad|lovely|nice|fun)|went (?:to bed|home|out|for a)|got (?:home|up|an? (?:email|error|message|call))|would|could|should|was|were|felt|seemed)\b)"
_DEED = rf"{_PAST}(?:[a-z]+ed|left|had|went|took|gave|came|did|made|grew|drew|fell|flew|kept|led|held|hurt|saw|sang|slept|spoke|stood|taught|wore|ran|swam|rode|drove|sold|bought|built|wrote|won|lost|broke|met|began|became|quit|got|sat|spent|fought|caught|threw|knew|lived|bred|bore|bound|dug|hung|laid|paid|rang|sewed|shot|shut|swore|tore|wove)"
_MARKED = (
    r"(?:(?:back )?in (?:the )?(?:19|20)\d\d|in (?:the )?(?:(?:early |late |mid-)?(?:19)?[5-9]0s|nineties|eighties|seventies|sixties)|in (?:my|our) (?:twenties|teens|thirties|forties|youth|childhood|\w+ year)|through my (?:twenties|teens|thirties)"
    r"|at (?:the age of |age )?(?:\d\d|fifteen|sixteen|seventeen|eighteen|nineteen|twenty)(?! (?:%|am|pm|percent|degrees|miles|km|past|o'clock))(?![:.\d])|as a (?:child|kid|teenager|student|teen|young (?:man|woman))|when I was [\w ]{2,25}|during (?:the (?:war|pandemic)|lockdown|covid|uni(?:versity)?|college)"
    r"|for (?:about |over |nearly |almost )?(?:a (?:decade|year)|\w+ (?:years|decades|seasons|summers))|last (?:year|spring|summer|autumn|winter|january|february|march|april|may|june|july|august|september|october|november|december)|(?:\w+ |a )?(?:few |couple of )?years ago|before (?:the war|i had kids|kids|covid)|on my gap year|straight (?:from|out of) (?:school|uni|college)|with (?:distinction|honours|merit))"
)

RULES = (
    _DID.worded(
        clause(
            rf"(?:I|we) (?:once |actually |even |then |first |later |also |both )?(?P<o>(?!(?:\w+ ){{1,2}}(?:it|this|that|them)\b){_DEED} (?:[^\n,.;:!?()]{{2,70}} )?{_MARKED})(?![\w-])"
        ),
        (
            ("Left school at fifteen, never got my GCSE", "Left school at fifteen"),
            (
                "Ran a chip van at festivals through my twenties; now I need a form",
                "Ran a chip van at festivals through my twenties",
            ),
        ),
        (
            "I tried it in 2020.",
            "She left school at fifteen",
            "If I left school at fifteen, what then?",
            "I noticed this in 2019",
        ),
    ),
    _DID.worded(
        clause(
            rf"(?:I|we) (?P<o>once {_DEED}(?: (?!(?:it|this|that|them)\b)[^\n,.;:!?()]{{3,70}}?))(?= (?:and|but|so|which|because)\b|$|[,.;:!?()])"
        ),
        (
            (
                "Once hitchhiked Cape Town to Mombasa with a tuba.",
                "Once hitchhiked Cape Town to Mombasa with a tuba",
            ),
        ),
        ("Once he hitchhiked home.", "I once thought so", "Once I had lunch, I left"),
    ),
    _DID.worded(
        clause(
            r"(?:I|we|I've|we've|I have|we have) (?P<o>(?:had|have had|got|having) (?:my|both|a|an|one|two|the|all) (?:[\w'-]+ ){0,4}?(?:out|removed|replaced|transplanted|fused|amputated|reconstructed|repaired|taken out|hysterectomy|mastectomy|appendectomy|bypass|c-section|caesarean|miscarriage|stroke|heart attack|transplant|stent|hip replacement|knee replacement|(?:hip|knee|back|heart|brain|eye|cataract|bowel|jaw|shoulder) (?:op|operation|surgery))(?: (?:in|at|last|two|three) [\w ]{2,15}?)?)(?=$|[,.;:!?()]| (?:and|but|so|last|in|at|when|two|three|years)\b)"
        ),
        (("Had my colon out in 2018 and still get confused", "Had my colon out in 2018"),),
        ("She had her colon out in 2018", "Did I have my colon out?"),
    ),
    _WORKED.worded(
        clause(
            r"(?:I'm|I was|I got|I've been|we were) (?:just |recently )?(?:laid off|made redundant|let go|fired|sacked|retired|furloughed) (?:from|by|at) <Org>"
        ),
        (("Laid off from Intel in the July round, so the letter is short", "Intel"),),
        ("He was laid off from Intel", "laid off by mistake"),
    ),
    _BEHIND.worded(
        sentence(
            rf"{NOT_MINE}{FRESH}(?:with |after |about |over |almost |nearly )*(?P<o>{_COUNT} (?:years|seasons|summers|winters|decades) (?:behind (?:the|a|an)|on (?:the|a|an|building|oil)|under|driving|teaching|nursing|running|working|fishing|farming|cooking|coaching|playing|into|at (?:the|sea|an?)|with|in) [^\n,.;:!?()]{{3,50}}?)(?= (?:and|but|so|which|we|I)\b|$|[,.;:!?()])(?! (?:row|prison|jail|future))"
        ),
        (
            (
                "Nineteen years behind the wheel of an artic and this is new to me",
                "Nineteen years behind the wheel of an artic",
            ),
            (
                "Two years into an apprenticeship with a stonemason, and my wrists ache",
                "Two years into an apprenticeship with a stonemason",
            ),
        ),
        (
            "Her son has five years in the army",
            "What do two years in the sun do?",
            "He got ten years in prison",
        ),
    ),
    _DID.worded(
        clause(
            r"(?:I'd been|I'd always been|I had been|I was|we were|I used to be) (?P<o>(?!(?:going|thinking|wondering|looking|trying|hoping|able|about|told|asked|so|just|not|using|in the middle|busy|late|ill|sick|here|there|tired|sure|glad|happy|up|out|away|off|in|on|at)\b)[^\n,.;:!?()]{3,60}? (?:until|up until|till|right up until|before|for \w+ years)(?: [^\n,.;:!?()]{2,40}?)?)(?=$|[,.;:!?()]| (?:and|but|so)\b)"
        ),
        (
            (
                "I'd been vegetarian right up until the army, believe it",
                "vegetarian right up until the army",
            ),
        ),
        ("I was going until he left", "She was vegetarian until the army"),
    ),
    _DID.worded(
        clause(
            r"having (?P<o>(?:grown up|lived|worked|been raised|studied|served|trained|spent|played|run|taught|raised|survived|sold|built) [^\n,.;:!?()]{3,70}?)(?=,|$)"
        ),
        (
            (
                "Having grown up on a dairy farm in Wisconsin, I find oat milk odd",
                "grown up on a dairy farm in Wisconsin",
            ),
        ),
        ("Having a great time, I left", "having said that, no"),
    ),
)
