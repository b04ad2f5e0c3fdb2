"""Bests, standings and balances: what somebody has reached, of which the newest value counts."""

import re
from dataclasses import replace

from memory.mining.rules.english.amounts import ABOUT, ALREADY, FEW, I_HAVE, MONEY, NAMED, STOP
from memory.mining.rules.english.grammar import context
from memory.mining.rules.table import hinted
from memory.mining.rules.templates import Template

_BEST = Template(
    "experience",
    "{r}_personal_best",
    "best_{r}",
    "The user's personal best in {R} is {object}.",
    "as_is",
    confidence=0.8,
)
_STANDING = Template(
    "other",
    "{r}_record",
    "record_in_{r}",
    "The record of the user's {R} team is {object}.",
    "as_is",
    confidence=0.75,
)
_POINTS = Template(
    "other",
    "{d}_at_{r}",
    "{d}_at_{r}",
    "The user has enough {d} at {R} for {object}.",
    "as_is",
    confidence=0.75,
)
_BALANCE = replace(_POINTS, statement="The user has {object} {d} with {R}.")
_FOLLOWERS = replace(
    _POINTS,
    key="{d}_on_{r}",
    predicate="{d}_on_{r}",
    statement="The user has {object} {d} on {R}.",
)
_MONEY = Template(
    "other",
    "{d}_for_{r}",
    "{d}_for_{r}",
    "The user has {d} {object} for their {R} so far.",
    "as_is",
    confidence=0.75,
)
_APPROVED = Template(
    "other",
    "preapproved_amount",
    "preapproved_for",
    "The user is pre-approved for {object}.",
    "as_is",
    confidence=0.8,
)

_DISTANCE = r"(?:\d+(?:\.\d+)?[ -]?(?:k|km|mi)|\d+[ -](?:kilometres?|kilometers?|miles?|metres?|meters?|yards?)|half[- ]marathon|marathon|mile|bench press|deadlift|squat|triathlon|plank)"
_RACE = rf"(?P<r>{_DISTANCE})"
_RESULT = r"(?P<o>(?:about |around |just under |under )?(?:\d{1,2}(?::\d\d){1,2}|\d+ minutes?(?: and \d+ seconds?)?|\d+ seconds?|\d+ hours?(?: and \d+ minutes?)?|\d+ ?(?:kg|kilos|lbs?|pounds)))"
_PB = r"(?:personal best|personal record|PB|PR)(?: time)?"
_MINE = rf"(?:my (?:new |current |previous |old |latest )?(?:{_PB}|best time|fastest time|record time)|(?:I|I've|I'm|where I|when I)\b(?:(?!\b{_DISTANCE}\b)[^.!?\n]){{0,80}}?\b(?:with|set|got|ran|hit|reached|achieved) (?:a|an|my) (?:new )?{_PB})"
_ON = r"(?P<r>(?-i:[A-Z])[\w&+-]*(?: (?-i:[A-Z])[\w&+-]*){0,2})"
_CROWD = r"(?P<d>followers|subscribers|patrons|connections)"
_COUNT = rf"(?P<o>\d[\d,.]*\d?k?|{FEW})"

_HINT = re.compile(
    r"\b(?:best|fastest|record|PB|PR|league|team|points|miles|stamps|credits|followers|subscribers|patrons|connections|saved|save|raised|paid|aside|approved|preapproved)\b",
    re.IGNORECASE,
)

RULES = hinted(
    _HINT,
    (
        _BEST.worded(
            context(
                rf"(?P<lead>[^\n]*\b{_RACE}\b[^\n]{{0,220}}?){_MINE} (?:is |was |of |at |stands at |: |in )+(?:now |currently )?{_RESULT}"
            ),
            (
                (
                    "I'm training for another charity 5K run. I'm hoping to beat my personal best time of 25:50 this time.",
                    "25:50",
                ),
                (
                    "How does my previous 5K factor in? The one where I finished with a personal best time of 26 minutes and 30 seconds?",
                    "26 minutes and 30 seconds",
                ),
            ),
            (
                "She ran a 5K. Her personal best time is 25:50.",
                "I ran a 5K. The world's best time is 12:35.",
                "My personal best time is 25:50.",
            ),
        ),
        _BEST.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)I(?:'ve| have)? {ALREADY}(?:completed|ran|run|finished|did|done) (?:an?|my|the) (?:[\w-]+ ){{0,3}}?{_RACE}(?: run| race)? (?:with|in|at) (?:a |my )?(?:new )?{_PB} of {_RESULT}"
            ),
            (
                (
                    "I've recently completed a charity 5K run with a personal best time of 27 minutes and 45 seconds.",
                    "27 minutes and 45 seconds",
                ),
            ),
            ("He completed a 5K with a personal best time of 27:45", "I've completed a 5K."),
        ),
        _BEST.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)my (?:new |current |previous )?(?:{_PB}|best time|fastest time|record) (?:in|for|at|over) (?:the |an? |my )?(?:[\w-]+ ){{0,2}}?{_RACE}(?: run| race)? (?:is|was|stands at|of) (?:now |currently )?{_RESULT}"
            ),
            (("by the way, my best time for the charity 5K is now 25:50!", "25:50"),),
            ("her best time in the 5K is 25:50", "What's my best time for the 5K?"),
        ),
        _STANDING.worded(
            context(
                r"(?P<lead>[^\n]*\b(?:my|our|the) (?:[\w-]+ ){0,2}?(?P<r>[a-z]+) (?:league|team)\b[^\n]{0,80}?)(?:we're|our record is|we have an?|with our|we're at) (?:now |currently |sitting at |at |standing at )*(?P<o>\d{1,2}-\d{1,2}(?:-\d{1,2})?)(?= (?:so far|now|record|this season|in the)\b|[.,!;]|$)"
            ),
            (
                (
                    "I've been doing well in the recreational volleyball league, we're 3-2 so far!",
                    "3-2",
                ),
            ),
            (
                "The football league is on, they're 3-2 so far.",
                "We're 3-2 so far.",
            ),
        ),
        _STANDING.worded(
            context(
                r"(?P<lead>(?:[^\n]*?[^\w'])??)(?:my|our) (?:[\w-]+ )?(?P<r>[a-z]+) team\b[^\n?]{0,70}? (?:with a|has a|is|at|have a) (?P<o>\d{1,2}-\d{1,2}(?:-\d{1,2})?)(?: record| so far| now| this season)"
            ),
            (
                (
                    "our volleyball team, the Net Ninjas, is doing well with a 5-2 record.",
                    "5-2",
                ),
            ),
            (
                "their volleyball team is doing well with a 5-2 record",
                "our team has a 2-3 day trip",
            ),
        ),
        _POINTS.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??){I_HAVE}(?:accumulated|earned|collected|gathered|saved|got|racked up)(?: up)? enough (?P<d>points|miles|stamps|credits) (?:for|to get|to redeem) (?P<o>(?:an? |{FEW} |\d+ )[\w' -]{{3,40}}?) (?:at|with|from|on) (?:any |the )?{_ON}"
            ),
            (
                (
                    "I've accumulated enough points for two free night's stays at any Hilton property",
                    "two free night's stays",
                ),
            ),
            (
                "She's accumulated enough points for a free night at Hilton",
                "Have I earned enough points for a free night at Hilton?",
            ),
        ),
        _BALANCE.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??){I_HAVE}(?:got |accumulated |earned |collected |saved )?{ABOUT}{_COUNT} (?P<d>points|miles) (?:on|with|in|at|from) (?:my |the )?{_ON}"
            ),
            (("I've now got 20,000 points on my Marriott card", "20,000"),),
            ("I've walked 20 miles with Ann", "He has 20,000 points with Hilton"),
        ),
        _BALANCE.worded(
            context(
                rf"(?P<lead>[^\n]*\b(?:at|with|from|on) (?:my )?{_ON}[^\n]{{0,80}}?)(?:bringing|which brings|brings|that brings|puts|putting) (?:my|our) (?:total|balance)(?: up)? to {ABOUT}{_COUNT} (?P<d>points|miles)\b"
            ),
            (
                (
                    "I bought a palette at Sephora and earned 50 points, bringing my total to 200 points so far.",
                    "200",
                ),
            ),
            (
                "I shopped at Sephora, bringing her total to 200 points",
                "bringing my total to 200 points",
            ),
        ),
        _FOLLOWERS.worded(
            context(
                rf"(?P<lead>[^\n]*\bon (?:my )?(?P<r>Instagram|Twitter|X|TikTok|YouTube|Facebook|Twitch|Substack|LinkedIn|Pinterest|Bluesky|Mastodon|Strava)\b[^\n]{{0,100}}?)(?:I'm|I've been|I was|we're) (?:now |currently |still )*(?:stuck |sitting )?at {ABOUT}{_COUNT} {_CROWD}\b"
            ),
            (
                (
                    "Any tips for posts on my Twitter account, since I've been stuck at 187 followers?",
                    "187",
                ),
            ),
            ("Any tips for Twitter, since she's stuck at 187 followers?", "I'm at 187 followers"),
        ),
        _FOLLOWERS.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)(?:I|we)(?:'ve|'m| have| am)? {ALREADY}(?:have|hit|reached|passed|gained|got|at|crossed|up to|surpassed) {ABOUT}{_COUNT} {_CROWD} on (?:my )?{_ON}"
            ),
            (("By the way, I just hit 1,300 followers on Instagram!", "1,300"),),
            ("I want 1,300 followers on Instagram", "She just hit 1,300 followers on Instagram"),
        ),
        _FOLLOWERS.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)(?:my|our) {_ON}(?: account| page| profile| channel)? (?:now |already |currently )*has {ALREADY}{ABOUT}{_COUNT} {_CROWD}\b"
            ),
            (("my Instagram account now has 1,300 followers", "1,300"),),
            (
                "her Instagram account has 1,300 followers",
                "Could my Instagram get 1,300 followers?",
            ),
        ),
        _MONEY.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??){I_HAVE}(?:managed to save |(?P<d>saved|raised|paid off|put aside|set aside)(?: up)? )(?P<o>{MONEY})(?: already| so far)* (?:for|towards?|on|of) (?:my|our|the|an?) {NAMED}(?: so far| already| now)?{STOP}"
            ),
            (("We've saved about $2,000 for our new kitchen so far", "about $2,000"),),
            ("They've saved $2,000 for a kitchen", "I want to save $2,000 for a trip"),
        ),
        _MONEY.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)(?:I|we)(?: have|'ve got| have got|'ve| now have) {ALREADY}(?P<o>{MONEY}) (?:already )?(?P<d>saved|set aside|put aside)(?: up)? (?:for|towards?) (?:my |our |the |an? )?{NAMED}{STOP}"
            ),
            (("and I have about $50,000 saved up for retirement so far.", "about $50,000"),),
            ("She has $50,000 saved up for retirement", "Do I have $50,000 saved for retirement?"),
        ),
        _APPROVED.worded(
            context(
                rf"(?P<lead>(?:[^\n]*?[^\w'])??)(?:I|we)(?:'ve| have|'re|'m| was| were| got| just got| am| are| recently got)+ {ALREADY}(?:been )?pre-?approved (?:by [\w ]{{2,25}} )?for (?:(?:an?|the) [\w -]{{2,25}} (?:of|for) )?(?P<o>{MONEY})"
            ),
            (
                ("I recently got pre-approved for $350,000 from Wells Fargo", "$350,000"),
                ("We've been pre-approved by our bank for a mortgage of $350,000", "$350,000"),
            ),
            ("He got pre-approved for $350,000", "Could I get pre-approved for $350,000?"),
        ),
    ),
)
