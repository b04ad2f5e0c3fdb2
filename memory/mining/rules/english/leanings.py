"""What somebody is drawn to or put off by, what must stay out, and what it may cost, in words that
need no "I like": "blue cheese turns my stomach", "leave coriander out of every recipe"."""

from dataclasses import replace

from memory.mining.rules.english.classes import NOT_MINE
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import (
    ALLERGY,
    BUDGET,
    DISLIKES,
    INSTRUCTION,
    LIKES,
    PREFERS,
)

_LIKES = replace(LIKES, confidence=0.75)
_PREFERS = replace(PREFERS, confidence=0.75)
_DISLIKES = replace(DISLIKES, confidence=0.75)
_ALLERGY = replace(ALLERGY, confidence=0.75)
_ORDER = replace(INSTRUCTION, confidence=0.75)

_MONEY = r"(?:[$€£¥] ?\d[\d,.]*(?:k\b)?|\d[\d,.]* ?(?:dollars|bucks|euros?|pounds|quid|francs|€|£|\$))(?: ?(?:a|per|each) (?:month|year|week|day|night|person|head))?"
_THING = r"(?!(?:it|this|that|these|those|the|he|she|they|we|you|what|which|who|there|your|his|her|their|my|our|nothing|everything|something|anything|and|but|if|maybe|sorry|honestly)\b)[a-z][\w'-]*(?: (?!(?:is|are|was|that|which|who|would|could|might|never|not|always|he|she|they|you|I)\b)[\w'-]+){0,3}?"
_WHAT = r"(?!(?:it|this|that|these|those|them|you|your|him|her|being right|nothing|everything|anyone)\b)"
_MATTER = r"(?:disclaimers?|caveats|emojis?|emoticons|exclamation (?:marks?|points?)|bullet points?|bullets|headings?|headers|bold|italics|tables|footnotes|jargon|slang|acronyms|preambles?|intros?|introductions?|recaps?|summar(?:y|ies)|apologies|flattery|compliments|filler|fluff|small talk|platitudes|clichés|metaphors|puns|hashtags|em[- ]?dash(?:es)?|semicolons|pep talks?|lectures?|warnings|follow-up questions|walls of text)"
_MEAL = r"(?:every|all|any|each|all of)(?: (?:of )?(?:the|my|your|our))? (?:\w+ )?(?:recipes?|meals?|meal plans?|menus?|dish(?:es)?|dinners?|lunch(?:es)?|answers?|repl(?:y|ies)|suggestions?|shopping lists?)"
_DRAW = r"(?:rain|waves|the sea|wind|thunder|birds\w*|bells|crickets|water|a cello|a violin|vinyl)"
_POLITE = r"(?:(?:please|pls|and|also|oh|so|but|ok|just|kindly),? )*"

RULES = (
    _LIKES.worded(
        sentence(
            rf"{NOT_MINE}(?:<after>I'm an? )?(?:huge|big|great|massive|lifelong|long-?time|secret|avid|keen|devoted) (?:admirer|devotee|lover|enthusiast) of {_WHAT}<o>"
        ),
        (("Huge admirer of hand-thrown pottery, me", "hand-thrown pottery"),),
        ("She's a huge admirer of pottery", "Is he a big lover of cats?", "Huge admirer of yours"),
    ),
    _LIKES.worded(
        sentence(rf"{NOT_MINE}(?:<after>(?:I'm|we're) )?(?:hooked on|smitten with|nuts about) {_WHAT}<o>"),
        (
            (
                "absolutely hooked on Scandinavian crime novels lol",
                "Scandinavian crime novels",
            ),
        ),
        ("He's hooked on novels", "hooked on it", "Are you hooked on tea?"),
    ),
    _LIKES.worded(
        clause(
            rf"(?:I|we) (?:always |still )?(?:get|got) (?:such |quite )?an? (?:real |huge |big |weird |proper )?(?:kick|buzz|thrill) (?:out of|from) {_WHAT}<o>"
        ),
        (("I get such a kick out of thunderstorms, the louder the better", "thunderstorms"),),
        ("She gets a kick out of storms", "Do I get a kick out of it?", "I get a kick out of it"),
    ),
    _LIKES.worded(
        clause(
            rf"(?:I|we|I've|we've) (?:always )?(?:had|got|have) (?:always )?an? (?:real |huge |big |secret )?(?:soft spot|weakness) for {_WHAT}<o>"
        ),
        (("I've had a soft spot for lighthouses since I was tiny.", "lighthouses"),),
        (
            "She's had a soft spot for him",
            "I've had a soft spot for you",
            "Have I a weakness for tea?",
        ),
    ),
    _LIKES.worded(
        sentence(
            rf"{NOT_MINE}(?P<o>{_THING}) (?:has|have) always been (?:my (?:thing|jam|passion|weakness|first love|happy place)|a favou?rite of mine)(?![\w-])"
        ),
        (("Fountain pens have always been my thing. The leaky kind.", "Fountain pens"),),
        (
            "It has always been my thing.",
            "Her pens have always been my thing",
            "Pens have always been blue",
        ),
    ),
    _LIKES.worded(
        sentence(
            rf"{NOT_MINE}<after>(?:there's|there is|there are) (?:little|nothing|few things|not much) (?:that )?(?:I|we) (?:like|love|enjoy|adore) (?:more|better) than (?!when\b|to\b|getting it\b){_WHAT}<o>"
        ),
        (("There's little I like more than slow radio plays, in winter", "slow radio plays"),),
        ("There's little she likes more than tea", "Is there little I like more than tea?"),
    ),
    _LIKES.worded(
        clause(
            rf"(?:I|we) (?:love|adore) the (?:(?:smell|taste|scent|feel) of {_WHAT}|sound of (?={_DRAW}))(?!(?:the|your|a) (?:first|second|third|idea|plan)\b)<o>"
        ),
        (("I adore the sound of rain on a tent", "rain on a tent"),),
        (
            "I love the sound of that.",
            "She adores the smell of rain",
            "I love the sound of your plan",
        ),
    ),
    _LIKES.worded(
        sentence(
            rf"{NOT_MINE}<after>the (?:taste|smell|sound|sight|feel) of {_WHAT}(?P<o>[^\n,.;:!?()]{{3,40}}?) (?:always )?makes me (?:\w+ )?(?:happy|smile|giddy|calm)(?![\w-])"
        ),
        (("The taste of burnt toast makes me weirdly happy", "burnt toast"),),
        ("The taste of toast makes her happy", "The smell of it makes me happy"),
    ),
    _LIKES.worded(
        sentence(
            rf"{NOT_MINE}<after>I could (?:listen to|watch|eat|read|drink|look at|stare at) {_WHAT}(?P<o>[^\n,.;:!?()]{{3,40}}?) (?:all day|all night|forever|for hours|every (?:single )?day|until the cows come home)(?![\w-])"
        ),
        (("I could listen to Nina Simone all day long, honestly", "Nina Simone"),),
        (
            "I could listen to it all day",
            "If only I could read books all day",
            "Could I eat cake every day?",
        ),
    ),
    _DISLIKES.worded(
        sentence(
            rf"{NOT_MINE}(?:(?:sorry|ugh|honestly|but|and|nope|no|ew|oh|also),? )*(?P<o>{_THING}) (?:(?:just |really |always )*(?:turns?|churns?) my stomach|(?:just |really |always )*makes? me (?:gag|retch|heave)|(?:just |really |always )*gives? me the (?:ick|heebie[- ]jeebies))(?![\w-])"
        ),
        (("sorry but blue cheese turns my stomach, smells of feet", "blue cheese"),),
        (
            "It turns my stomach.",
            "Blue cheese turns her stomach",
            "Does blue cheese turn my stomach?",
            "The news turns my stomach",
        ),
    ),
    _PREFERS.worded(
        sentence(
            rf"{NOT_MINE}(?![^\n]*\b(?:today|tonight|tomorrow|now|if I|if we|option|this time)\b)(?P<lead>(?:(?:as far as|when it comes to|if we're talking) [^\n,]{{3,30}}?,? |for [\w ]{{3,20}}, )?)I'd (?:take|pick|choose|rather have) (?!(?:the|an?|to|option|your|it|this|that|my|one)\b)(?P<o>[^\n,.;:!?()]{{2,30}}?) (?:over|than) (?!(?:the|an?|this|that|it|option)\b)(?=[\w' -]{{2,30}}(?:$|[,.;!]))"
        ),
        (
            ("As far as pets go I'd take cats over dogs", "cats"),
            ("I'd rather have savoury than sweet", "savoury"),
        ),
        (
            "She'd take cats over dogs",
            "I'd take option A over option B",
            "I'd rather have soup than stew tonight",
            "Would I take cats over dogs?",
        ),
    ),
    _ALLERGY.worded(
        sentence(
            rf"{NOT_MINE}(?P<o>{_THING}) (?:sets? off|triggers?|brings? on|causes?|gives? me) an? (?:nasty |bad |severe |allergic |serious |violent )*(?:reaction|rash)(?: in me| for me|(?<=me a rash))(?![\w-])"
        ),
        (("sesame sets off a nasty reaction in me, so bear it in mind", "sesame"),),
        (
            "Sesame sets off a reaction in her",
            "Heat causes a reaction.",
            "Does sesame cause a rash in me?",
        ),
    ),
    _ORDER.worded(
        sentence(
            rf"<after>{_POLITE}(?P<o>(?:leave|keep) (?!(?:me|it|this|that|them|him|her)\b)[\w' -]{{2,30}}? (?:out of|off|away from) {_MEAL}(?: you (?:give|make|write|plan|suggest|send)(?: me| us| for me)?)?)(?![\w-])"
        ),
        (
            (
                "Leave coriander out of every recipe you give me",
                "Leave coriander out of every recipe you give me",
            ),
        ),
        (
            "They leave coriander out of every recipe.",
            "Leave me out of all meals",
            "Should I leave coriander out of every recipe?",
        ),
    ),
    _ORDER.worded(
        sentence(
            rf"{_POLITE}(?P<o>no (?:more )?{_MATTER}(?: or {_MATTER})?(?: (?:at the (?:end|start|beginning|top)|in (?:anything|everything|any \w+|your \w+|all \w+)))?(?: you [\w ]{{3,25}}?)?(?:,? (?:from now on|from here on|ever|ever again|going forward|in future|please|thanks)))(?=$|[.!,)])"
        ),
        (
            (
                "please no more disclaimers at the end, from now on",
                "no more disclaimers at the end, from now on",
            ),
            (
                "no exclamation marks in anything you compose for me, ever",
                "no exclamation marks in anything you compose for me, ever",
            ),
        ),
        (
            "There are no more disclaimers.",
            "no tables left at the end",
            "Why no more emojis, ever?",
        ),
    ),
    _ORDER.worded(
        sentence(
            rf"<after>{_POLITE}(?P<o>(?:stop|quit) (?:repeating|apologi[sz]ing|lecturing|summari[sz]ing|asking|restating|praising|hedging|padding|quoting|adding|ending|starting)(?! (?:it|this|that)\b) [^\n,.;!?]{{3,60}},? (?:(?:and )?(?:that|this) (?:goes|holds|applies) for (?:every|all|any)[\w ]{{2,25}}|from now on|for good|in future))(?=$|[.!,)])"
        ),
        (
            (
                "quit repeating my question back at me, that goes for every chat",
                "quit repeating my question back at me, that goes for every chat",
            ),
        ),
        (
            "I quit repeating jokes.",
            "Did he quit asking her for good?",
            "They stop asking me for good",
        ),
    ),
    BUDGET.worded(
        clause(
            rf"(?:I|we|(?:my|our) (?:rent|budget|total|groceries|whole trip|wedding|holiday|spend\w*|outlay)) (?:can't|mustn't|must not|won't) (?:go (?:over|above|beyond|past|higher than)|exceed|stretch (?:to|beyond|past)|be (?:more|higher) than|cost more than) (?P<o>{_MONEY})"
        ),
        (("our rent can't go over 950 euros a month", "950 euros a month"),),
        ("Her rent can't go over 950 euros", "Can't we go over 950 euros?", "I can't go over it"),
    ),
    BUDGET.worded(
        sentence(
            rf"<after>(?:(?:I|we) have (?:only )?(?P<o>{_MONEY}) (?:at (?:the )?most|max(?:imum)?|tops|all in)(?![\w-]))"
        ),
        (("we have 800 euros at most", "800 euros"),),
        ("They have 800 euros at most", "We have 800 euros.", "Do we have 800 euros at most?"),
    ),
    BUDGET.worded(
        sentence(
            rf"<after>(?:(?:the|our|my) )?(?:price |spending |upper )?(?:cap|ceiling)(?: is|'s|:) (?P<o>{_MONEY})(?= (?:a|per|each|all|in)\b|$|[.,;!])"
        ),
        (("cap is 90 quid a head", "90 quid a head"),),
        ("His cap is 90 quid", "Is the cap 90 quid?", "the cap is blue"),
    ),
)
