"""What is coming, whatever it is, and what somebody is after: "applying to Iowa in December"."""

from dataclasses import replace

from memory.mining.rules.english.classes import KIN_WORDS, NOT_MINE
from memory.mining.rules.english.events import DAY_HINT
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.table import hinted
from memory.mining.rules.templates import EVENT, GOAL

_EVENT = replace(EVENT, confidence=0.75)
_GOAL = replace(GOAL, shape="deed")
_PLAN = replace(_GOAL, predicate="plans", statement="The user plans this: {object}.")

_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b"
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
_WHEN = (
    rf"(?:(?:on |by |in |from |come |for |early |late |mid-?|the week of |the )*(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}|{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?\b)?|the \d{{1,2}}(?:st|nd|rd|th)\b|20[2-4]\d\b)"
    rf"|(?:on |this |next |this coming |by )(?:{_WEEKDAY}|spring|summer|autumn|fall|winter|christmas eve|new year's eve|easter)|next (?:week|month|year|weekend)|in (?:the )?(?:spring|summer|autumn|fall|winter|new year)|in (?:two|three|four|five|six|ten|\d+) (?:weeks|months|days)|(?:a )?week (?:on|today))"
)
_NOT = r"(?![^\n]{0,60}\b(?:it|this (?!spring|summer|autumn|fall|winter|coming|mon|tues|wednes|thurs|fri|satur|sun)|that|them|these|those|code|script|since|last|ago|every|each|error|bug|file|ticket|asap)\b)"
_DOING = r"(?!(?:clicking|typing|scrolling|selecting|choosing|looking|trying|thinking|considering|wondering|having|getting (?!married|engaged|hitched|my|the|our|a new)|going(?! to (?:(?:the|my|our|a) |(?-i:[A-Z])))|using|working|writing|reading|being|asking|doing|hoping|wanting|planning|learning|seeing (?:an|the)|waiting|sitting in|telling|talking|feeling|running into|free|busy|off (?:on|for)|living|born)\b)"
_SOON = rf"(?=,? {_WHEN})"
_HEAD = r"(?:the |my |our |her |)(?:(?:big|main|only|real|current|new|long[- ]term|five-year|ten-year|stretch|secret|personal|whole|grand) )*(?:plan|ambition|aim|goal|dream|target|resolution|mission|bucket list|challenge)"
_MIND = r"(?!(?:visit (?:at|once|twice|every)|wrap my|get my head|make sense|come up|fix|find|debug|see|know|understand|figure|decide|work out|get (?:it|this|the|a (?:list|quote|reply))|use|make (?:it|this|sure|the)|write (?:an?|the) (?:email|mail|letter|message|function|script|query)|do (?:it|this|that)|send|ask|tell|reply|explain|remember|help|say|look|sell you|convince|be (?:polite|nice)|not\b|keep (?:it|this)|solve|implement|create|build an? (?:function|query|script)|(?:run|install|print|return|call|load|parse|connect|deploy|import|export|convert|calculate|compute|determine|identify|establish)\b))"

RULES = (
    *hinted(
        DAY_HINT,
        (
            _EVENT.worded(
                clause(
                    rf"(?:I'm|we're|I am|we are|I'll be|we'll be) (?:finally |also |both |all |off |back )*{_DOING}{_NOT}(?P<o>(?:[a-z]+ing|taking|off|due|down|up|booked|on (?!\d)|in (?=(?-i:[A-Z]))|at (?=(?-i:[A-Z]))) [^\n,.;:!?()]{{3,70}}?|retiring|graduating|emigrating|deploying|giving birth){_SOON}"
                ),
                (
                    (
                        "Applying to the MFA at Iowa in December, portfolio needs 30 pages",
                        "Applying to the MFA at Iowa",
                    ),
                ),
                (
                    "I'm looking at it in May",
                    "I'm clicking the morning flight on June 1",
                    "She's applying to Iowa in December",
                    "Should I be applying to Iowa in May?",
                    "I'm working on this in June",
                ),
            ),
            _EVENT.worded(
                clause(
                    rf"(?:I|we)(?:'ll| will| shall| get to| have to| am to| are to|) {_NOT}(?P<o>(?:start|begin|take over|defend|sit|face|fly|leave|travel|move|launch|open|close|host|meet|marry|perform|play|compete|race|run|present|speak|graduate|finish|retire|return|hand over|hand in|submit|exhibit|climb|join|train|teach|deploy|sail|ship out|go (?:back|to|on|in)|turn (?:in|over)|take part in|take|give|be (?:in|at|back)) [^\n,.;:!?()]{{3,70}}?){_SOON}"
                ),
                (
                    (
                        "I take over the youth orchestra in Tampere on 1 September.",
                        "take over the youth orchestra in Tampere",
                    ),
                ),
                ("I take it on 1 September.", "He takes over on 1 May", "I play this in June"),
            ),
            _EVENT.worded(
                sentence(
                    rf"(?:on |in |this |next |come |by )+(?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)?(?: of)? )?(?:{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?)?|{_WEEKDAY}|week|month|spring|summer|autumn|fall|winter),? (?:I|we)(?:'m| am|'re| are|'ll| will| have to| get to) {_DOING}{_NOT}(?P<o>[a-z]+ [^\n,.;:!?()]{{3,60}}?)(?= (?:and|but|so|which|with my)\b|$|[,.;:!?()])"
                ),
                (
                    (
                        "in October I will defend the title in a regional tournament",
                        "defend the title in a regional tournament",
                    ),
                ),
                ("In October he will defend it", "In May I was ill", "In June I'm looking at it"),
            ),
            _EVENT.worded(
                sentence(
                    rf"{NOT_MINE}<after>(?P<o>(?:my |our )?(?:{KIN_WORDS})'s (?:\d\d(?:st|nd|rd|th)|\w+tieth|christening|baptism|wedding|funeral|graduation|bar mitzvah|bat mitzvah|retirement do|leaving do|party|hen do|stag do|baby shower|memorial|recital|first communion|confirmation)(?: birthday| party)?)(?=[^\n]{{0,60}}?{_WHEN})"
                ),
                (
                    (
                        "Pls proof the invite: Dad's 70th, Kilmainham, Saturday 14 June, no gifts",
                        "Dad's 70th",
                    ),
                ),
                ("Is it dad's 70th on 14 June?", "his dad's wedding is on 3 May"),
            ),
            _EVENT.worded(
                sentence(
                    rf"{NOT_MINE}<after>(?P<o>(?:(?:flu|covid|travel|booster|rabies|shingles) (?:jab|shot|booster)|(?:knee|hip|shoulder|cataract|wisdom[- ]tooth|heart|back|eye|root) (?:replacement|surgery|op|operation|canal|extraction)|(?:adoption|job|medical|review|tenure|visa|parole) (?:panel|board|hearing|interview|appointment)|(?:house|flat|puppy) (?:move|viewing|collection)|jury (?:duty|service)|driving test|first day|last day|c-section|scan|mri|closing|completion|half marathon|marathon|triathlon|viva|wedding|move-in)) (?:(?:is|are|was|got|been) )?(?:(?:booked|set|scheduled|pencilled in|down|due|fixed|confirmed) )?(?:for |on |at |in )?(?=(?:the )?(?:\d|{_MONTH}|{_WEEKDAY}|next|this|tomorrow))(?![^\n]*\b(?:his|her|their)\b)"
                ),
                (
                    (
                        "Knee replacement is booked for December 2nd at the Royal.",
                        "Knee replacement",
                    ),
                ),
                ("Is knee replacement booked for May?", "her scan is on 3 May"),
            ),
        ),
    ),
    _PLAN.worded(
        clause(
            rf"(?:I'm|we're|I am|we are|I'll be|we'll be) (?:finally |also |both |all |off |back )*{_DOING}{_NOT}(?P<o>(?:[a-z]+ing [^\n,.;:!?()]{{3,70}}?|retiring|graduating|emigrating) (?:in (?:the (?:spring|summer|autumn|fall|winter|new year)|20[2-4]\d)|(?:this|next) (?:spring|summer|autumn|fall|winter|year)|at the end of (?:the|this) year))(?![\w-])"
        ),
        (
            (
                "We're taking my parents to Lourdes in the spring and I need a hotel",
                "taking my parents to Lourdes in the spring",
            ),
        ),
        ("He's retiring in 2027", "I'm using it in the summer", "I'm looking at Rome this year"),
    ),
    _GOAL.worded(
        sentence(
            rf"{NOT_MINE}<after>{_HEAD}(?: (?:for|this|by|of|here)(?: the| this| my| next| me)? ?[\w ]{{0,18}}?)?(?: is simple| is this|'s simple)?: ?(?:to )?{_MIND}(?P<o>(?!(?:\w+ )?(?:list|table|json|how|what|which|who|is|are)\b)(?:[\w'-]+ )[^\n,.;:!?()]{{4,80}})(?=[^\n]*)"
        ),
        (
            (
                "Ambition for the year: a black pudding that wins at Stornoway.",
                "a black pudding that wins at Stornoway",
            ),
            (
                "The plan: buy in Galicia by the time I'm sixty",
                "buy in Galicia by the time I'm sixty",
            ),
        ),
        ("Her plan: leave now.", "Goal: write a function", "What is the plan: stay or go?"),
    ),
    _GOAL.worded(
        sentence(
            rf"{NOT_MINE}<after>(?:I'm |we're |still |been |also )*(?:trying|aiming|hoping|planning|want|itching|dying|determined|saving(?: up)?|training) to {_MIND}(?=[^\n]{{0,80}}\b(?:before (?:I|my|our|the)|by (?:the time|christmas|summer|spring|autumn|winter|my|next|\d|(?-i:[A-Z]))|from \d|to \d|under \d|over \d|below \d|this (?:year|summer|winter|spring|autumn|season)|one day|some ?day|again after|without|diamond|level|a month|a week))(?P<o>[a-z]+ [^\n,.;!?()]{{4,90}}?)(?= (?:so|but|because|and (?:I|my|need|it|the))\b|$|[,.;!?()])"
        ),
        (
            (
                "Trying to drop from 98 to 85 kilos before my daughter's wedding",
                "drop from 98 to 85 kilos before my daughter's wedding",
            ),
        ),
        ("Trying to fix it before May.", "He's trying to drop to 85 kilos", "trying to drop off"),
    ),
    _GOAL.worded(
        sentence(
            r"(?:(?!\b(?:they|you|people|who|parents|friends|kids|he|she|should|why|how|suppos(?:e|ing)|say|assum(?:e|ing)|imagine|pretend|if)\b)[^\n]){0,80}?(?:(?<=^)|(?<=[,;:.] )|\b(?:I|we|I'd|we'd|I'm|we're|I've|and|but|just|now|also|really|kinda|always|been)(?: really| kinda| also| always| so)* )(?:want(?:ing)? to|would love to|love to|hoping to|thinking (?:of|about)|thought about|tempted to|keen to|itching to|looking to|like to|wanted to) (?:finally |eventually |maybe )?(?P<o>(?:get into|take up|learn (?!(?:more|about|how to (?:do|use|fix|make))\b)|move to|retrain|become|adopt|foster|emigrate|retire|go back to (?:school|uni|university|college|work|nursing|teaching)|quit (?:smoking|drinking|vaping|my)|give up (?:smoking|drinking|meat|sugar|alcohol)|buy (?:a|our|my) (?:first )?(?:house|home|flat|boat|farm|place|van)|start (?:a|my own|our own) (?:business|family|charity|podcast|bakery|band|farm|company|blog)|open (?:a|my own|our own)|adopting|moving to|retraining|becoming|fostering|getting into|taking up|learning|going back to (?:school|uni|college))(?: [^\n,.;:!?()]{1,60}?)?)(?= (?:and|but|so|because|if|when)\b|$|[,.;:!?()])"
        ),
        (
            ("im 15 and wanna get into welding, is that even legal", "get into welding"),
            ("thinking of adopting an older one", "adopting an older one"),
        ),
        (
            "She wants to get into welding",
            "I want to learn more",
            "Do I want to get into welding?",
            "Suppose I want to retire at 50, how much do I need?",
            "Say I want to buy a house in Leeds",
        ),
    ),
)
