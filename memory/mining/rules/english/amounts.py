"""Words for how many, how much, how often and at what time, that rules for changing values share."""

import re

FEW = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    "|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty)(?:-(?:one|two|three|four|five|six|seven|eight|nine))?"
)
# Without a number nothing is counted.
COUNTED = re.compile(rf"\d|\b(?:{FEW})\b", re.IGNORECASE)
NUMBER = rf"(?P<o>\d[\d,.]{{0,8}}\d|\d|{FEW})"
ABOUT = r"(?:about |around |over |almost |nearly |roughly |at least |close to |up to |a total of )?"
ALREADY = r"(?:now |already |just |even |recently |actually |also |only |finally |currently |personally |since |probably |both )*"
I_HAVE = rf"(?:I've|we've|I have|we have) {ALREADY}"
# A sort of things of which one can have some; what belongs to the chat, time and people are none.
_KIND = r"(?:(?:different|new|total|more|other|unique|separate|good|great|nice|of the|such) )*"
_NO_THING = (
    r"(?:more|hours?|minutes?|mins?|seconds?|days?|nights?|weeks?|weekends?|months?|years?|decades?|times|questions?|things?|ones|or|of|in|on|as|is|was"
    r"|suggestions?|recommendations?|tips|ideas|options|ways|resources|steps|examples|versions|drafts|prompts|parts|points|topics|issues|problems|reasons|goals|tasks"
    r"|people|kids|children|sons|daughters|brothers|sisters|siblings|friends|guests|classmates|colleagues|others|us|percent|degrees|ingredients|tablespoons|cups|grams)\b"
)
THINGS = rf"{_KIND}(?P<r>(?:(?!{_NO_THING})[A-Za-z][\w'-]* ){{0,2}}?(?!{_NO_THING})[a-z][a-z-]*s(?<!ss)(?<!us))(?![\w'-])"
SO_FAR = r"(?: (?:so far|now|already|in total|altogether|to date|by now|since (?:I|we|the|last|this|moving|starting|joining|january|february|march|april|may|june|july|august|september|october|november|december)\b))"
TIMES = rf"(?:once|twice|thrice|(?:one|{FEW}|\d{{1,2}}) (?:times?|days|nights|evenings|mornings))"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
DAYS = rf"(?:{_DAY}(?:(?:,|,? and|,? &) {_DAY})+)"
PER = r"(?:a|per|each|every) (?:week|month|day|fortnight|year)"
OFTEN = rf"(?:(?:about |around |at least |only |just )?{TIMES} {PER}|every (?:other|second|two|three|four) (?:day|week|month|night|morning|evening|weekend)s?|(?:on |every )?{DAYS})"
CLOCK = r"(?:\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\b\.?)|\d{1,2}:\d\d|noon|midnight)"
DURATION = r"(?:(?:about |around |over |almost |nearly |roughly )?\d+(?:\.\d+)?(?:(?:-| to )\d+)? (?:hours?|minutes?|weeks?))"
MONEY = r"(?:(?:about |around |over |almost |nearly |roughly |up to |close to )?(?:[$€£] ?\d[\d,.]*\d?k?|\d[\d,.]*\d?k? (?:dollars|euros|pounds|bucks|francs)))"
# Where the name of a thing ends.
STOP = (
    r"(?=$|[,.;:!?()\u2013\u2014]| -| (?:and|but|so|to|for|in|on|at|with|from|which|that|who|since|lately|yesterday|today|recently|last|this|is|are|was|were"
    r"|has|have|because|when|while|before|after|during|by|as|I|I've|I'm|we|it|now|already|again|about|if|or|then|under|inside|of)\b)"
)
NAMED = r"(?P<r>(?!(?:own|first|last|next|time|way|mind|best)\b)(?:[\w'&-]+ ){0,7}?[\w'&-]+?)"
