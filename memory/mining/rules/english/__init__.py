"""The rules for English, the language they cover best."""

import re

from memory.mining.rules.english import (
    abilities,
    aims,
    asides,
    belongings,
    body,
    calendar,
    callings,
    changes,
    counts,
    couples,
    deeds,
    devices,
    events,
    everyday,
    fronted,
    games,
    goals,
    habits,
    health,
    holdings,
    household,
    identity,
    leanings,
    limits,
    lived,
    manners,
    matters,
    mentions,
    origin,
    past,
    pastimes,
    people,
    plans,
    preferences,
    projects,
    records,
    restraints,
    routines,
    selves,
    skills,
    stack,
    standing,
    talents,
    tallies,
    titles,
    tools,
    traces,
    trades,
    updates,
    ways,
    wishes,
    work,
    works,
)
from memory.mining.rules.english.amounts import FEW
from memory.mining.rules.english.clauses import clauses
from memory.mining.rules.english.frames import FRAMES
from memory.mining.rules.english.wording import with_fillers
from memory.mining.rules.table import Language
from memory.text import kinship

KIN = kinship.KIN["en"]

ENGLISH = Language(
    code="en",
    cue=re.compile(r"[A-Za-z]{2}"),
    veto=re.compile(
        r"\b(?:if|unless|whether|as though|would|might|maybe|not|never|hardly|nobody|no longer"
        r"|doubt|whenever)\b|n['\u2019]t\b"
        r"|(?<!\bI )(?<!\bI['\u2019]ve )\b(?:says?|said|thinks?|thought|claims?|claimed|believes?|wrote|asks?|asked|assumes?)\b",
        re.IGNORECASE,
    ),
    imagined=re.compile(
        rf"{FRAMES}|\b(?:imagine|suppose|supposing|pretend|hypothetically|let['\u2019]s say|wish|what if|for example"
        r"|e\.g|example:|in (?:the|my|this) (?:story|novel|game|book|dream))\b",
        re.IGNORECASE,
    ),
    stop=re.compile(
        r"\s+(?:and|but|so)\s+(?:at|by|in|for|with|after|before|since|on)\b[^\n,.;]{1,25}\b(?:I|we)\b|\s+(?:and|but|so|or|then|plus)\s+(?:(?:attended|bought|finished|joined|completed)\b|\w+ (?:is|are) (?:my|our)\b|I|I['\u2019]\w+|my|we|we['\u2019]\w+|they|he|she|it|it['\u2019]s"
        r"|that['\u2019]s|this|can|could|please|would|do|does|what|how|need|want|looking|was|is|am|are"
        r"|wondering|think|hope|wanted|then|now|just|also)\b"
        r"|\s+(?:but|because|since|although|though|while|which|who|whenever|if|unless|so that|cause(?= (?:I|I'm|it|it's|we|they|he|she|my|the|there|that|you|by)\b)|(?:they|it|he|she)['\u2019](?:s|re)"
        r"|cuz|bc|thanks|thank you|so|as (?:it|I|they|he|she|we)|that['\u2019]s|that (?:I|is|was|has|my|we)"
        r"|at (?:least|most)|on (?:it|them|mine)|when (?:I|it|we|they)|where (?:I|it|we|they|the|my|our|he|she)|like (?:we|you|I)|I (?:reali[sz]ed|guess|think|thought|suppose|know|found|have|am|was|need|want)|as well|at the moment|right now|these days)\b|\s+[-\u2013\u2014]+\s|\s[:;]?[)(]|…",
        re.IGNORECASE,
    ),
    refused=re.compile(
        r"(?:(?:it|this|that|them|these|those|him|her|you|me|us|everything|nothing|something|anything"
        r"|all|both|either|none|neither|one|ones|some|any|more|to|doing (?:it|this|that)|so|here|there"
        r"|the same|a lot|a bit|a little)(?: (?:much|more|the most|too|all|both|one|ones|a lot|very much|so much|already|here|now|better|more|best))?$"
        r"|(?:and|or|but|is|are|i|i['\u2019]\w+|it|this|these|those|your|how|what|when|where|why|that|his|their|her|everything|something"
        r"|anything|any of|all (?:of |the |these |those |your )|both of|one of|some of|none of|to be honest"
        r"|(?:being|getting|having been|to be)(?: called| told| asked| named| referred to(?: as)?| addressed(?: as)?)?$|hearing(?! impaired| loss|'s)|seeing (?:how|that|your)|to (?:know|see|hear|ask|say|bother|admit|add|think|do (?:this|that|it)))\b"
        r"|(?:all|any|both|some) (?:those|these|that|this)\b|[^\n]*\b(?:idea|suggestion|approach|options?|version|draft|answer|response|outline|breakdown|roadmap|feedback|explanation|theme|itinerary|timeline|template|layout)s?$"
        r"|(?:volunteered|participated|attended|joined|took part)(?: at| in)?$|(?:the )?(?:field|industry|area)$|(?:seeing|hearing|watching|reading) (?:their|his|her|your)\b"
        r"|(?:the |these |those |this )?(?:last|past|next|coming|previous|whole|entire)(?: (?:few|couple of|several|many|half|[a-z]+|\d+)){0,2} (?:seconds?|minutes?|hours?|days?|nights?|weeks?|weekends?|months?|years?|decades?|summers?|winters?|springs?|autumns?|terms?|semesters?)$"
        r"|(?:the )?(?:word|term|phrase|expression)s? (?:['\"\u2018\u2019\u201c]|loosely|lightly|[a-z]+ (?:loosely|lightly|ironically|advisedly))|[^\n]* (?:that|this|it|them)$|(?:types|kinds|sorts) of\b|(?:in|of|from|with) (?:my|our|this|that)\b|[^\n]*\ban? \d+-(?:day|week|hour|month)$|.*\byou(?:rs?|['\u2019]ve)?\b|#\d|\S+\.(?:com|org|net|io|ai)$|its |(?:them|him|her|us) |things? (?:like|such)\b|\w+ing (?:it|that|this|them|him|her)\b|[^\n]* (?:what|how|which|who)$|[^\n]* (?:smaller|larger|bigger|longer|shorter|newer|cheaper|daily|weekly|local)$|[^\n]*[\[\]{}]|[^\n]*\bin the (?:name|title|text|intro\w*|logo|headline|slogan|paragraph|sentence|list|code|script|output|essay|article|design|email|letter|post|file|table|image|picture|prompt)\b"
        r"|(?:option|version|answer|choice|approach|method|solution|idea|number|plan|variant|draft|example) (?:[a-z]|\d+|one|two|three|four)\b|the (?:way|idea|sound|look|looks|feel|fact|first|second|third|last|other|next|latter|former"
        r"|one|suggestion|suggestions|option|options|plan|draft|answer|response|approach|concept|tone"
        r"|style|format|version|name|title|design|structure|direction|part|thought|examples?|recipe"
        r"|advice|tips|list|following|above|new|code|script|result|results|output)\b)",
        re.IGNORECASE,
    ),
    rules=(
        *changes.RULES,
        *counts.RULES,
        *tallies.RULES,
        *holdings.RULES,
        *records.RULES,
        *routines.RULES,
        *titles.RULES,
        *devices.RULES,
        *identity.RULES,
        *origin.RULES,
        *health.RULES,
        *people.RULES,
        *couples.RULES,
        *events.RULES,
        *work.RULES,
        *projects.RULES,
        *tools.RULES,
        *games.RULES,
        *skills.RULES,
        *goals.RULES,
        *limits.RULES,
        *restraints.RULES,
        *preferences.RULES,
        *past.RULES,
        *habits.RULES,
        *wishes.RULES,
        *standing.RULES,
        *household.RULES,
        *calendar.RULES,
        *callings.RULES,
        *body.RULES,
        *abilities.RULES,
        *aims.RULES,
        *stack.RULES,
        *lived.RULES,
        *pastimes.RULES,
        *updates.RULES,
        *trades.RULES,
        *traces.RULES,
        *selves.RULES,
        *talents.RULES,
        *deeds.RULES,
        *works.RULES,
        *mentions.RULES,
        *manners.RULES,
        *plans.RULES,
        *ways.RULES,
        *fronted.RULES,
        *belongings.RULES,
        *everyday.RULES,
        *asides.RULES,
        *leanings.RULES,
        *matters.RULES,
    ),
    kin=KIN,
    clauses=clauses,
    context=with_fillers,
    asking=re.compile(
        r"\b(?:do|does|did|should|could|can|would|will|shall|may|might|must|have|had|am|is|are|was|were|than|like|unless|until|till"
        r"|when|whenever|once|before|after|where|how (?:often|many times|much)|so that|in case|suggest|recommend|recommended|hope|hoping) (?:that )?$",
        re.IGNORECASE,
    ),
    in_context=re.compile(
        rf"\d|\b(?:{FEW}|once|twice|single|every|weekly|daily|monthly|fortnightly|read|watched|seen|finished|completed|reading|watching|put|gave up|abandoned|stopped|paused|set|listened|listening|playing|enough|switched|moved|turned|project|build|model|painting|in|under|on|at|inside|behind|by|next|above|below)\b",
        re.IGNORECASE,
    ),
)
