"""What the user does with their time: crafts, sports and the customs of a house."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import Template

_HABIT = Template(
    "behaviour",
    "habit_{slug}",
    "habit",
    "The user does this regularly: {object}.",
    "deed",
    confidence=0.75,
)
_CUSTOM = Template(
    "behaviour", "custom_{slug}", "habit", "In the user's week: {object}.", "deed", confidence=0.7
)

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days"
_MONTH = r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_HOBBY = (
    r"(?:speedrun|knit|crochet|sew|quilt|embroider|whittle|woodwork|garden|forage|birdwatch|bird|stargaze|homebrew|brew|bake|ferment|pickle|blog|vlog|stream|podcast|busk|dj|geocache|thrift|scrapbook|bullet journal|journal|meditate|fence"
    r"|kayak|canoe|row|surf|ski|snowboard|skate|climb|boulder|hike|cycle|bike|lift|powerlift|jog|sketch|paint|draw|sculpt|throw pots|carve|juggle|beekeep|keep bees|keep chickens|keep a (?:\w+ )?(?:diary|journal|log|allotment|garden)|breed|raise|collect|restore|larp|cosplay|gm|dm|play d&d|tutor|foster|volunteer|sing in|dance|referee|coach|moderate|compost|swim|box|wrestle|metal detect|fly fish|fish|hunt|camp|sail|scuba|freedive|glide)"
)
_ALL = r"(?=[^\n,.;:!?()\"]{1,60})"
_NOT = r"(?![^\n]{0,40}\b(?:it|this|that|them|these|those|cards?|marbles?|balls|dice|coins?|replacement|conclusions?|blood|today|tonight|tomorrow|yesterday|right now|for you)\b)"

RULES = (
    _HABIT.worded(
        clause(
            rf"(?:I|we) (?:mostly |mainly |regularly |still )?(?P<o>{_HOBBY} {_NOT}(?!(?:up|down|out|off|the line|on|into|in|to|a|an|the (?:line|data|button|page|file)|my case|back)\b(?! (?:choir|band|pond|sea|lake|garden|river|church|shed|canal|evenings|mornings)))[^\n,.;:!?()\"]{{2,60}}?)(?= (?:and (?:I|we|my)|but|so|because|since|which)\b|$|[,.;:!?()])"
        ),
        (
            ("i speedrun old Zelda games, need a spreadsheet", "speedrun old Zelda games"),
            ("I knit socks and I need a pattern", "knit socks"),
        ),
        ("I draw the line here.", "She knits socks", "I collect them", "Do I knit socks?"),
    ),
    _HABIT.worded(
        clause(
            rf"(?:I|we) (?!(?:have|had|went|was|were|will|need|want|think|feel|did|got|am|just|live|hate|love|like|dread|see|fear|know|said|started|began|wrote|made|took|met|saw|ran|came|gave|found|spent|\w+ed)\b)(?P<o>[a-z]+ (?:[^\n,.;:!?()\"]{{2,60}}? )?(?:(?:every|each) (?:single )?(?:{_MONTH}|year|christmas|easter|lent|season|term|payday|full moon|time it (?:rains|snows))|(?:on )?{_DAYS}(?:(?:,| and|,? &) {_DAYS})*))(?![\w-])"
        ),
        (
            ("i swap to keto every january and give up", "swap to keto every january"),
            ("I teach spin Tuesdays and Fridays", "teach spin Tuesdays and Fridays"),
        ),
        ("I was ill every january", "He fasts every april", "I had keto every january"),
    ),
    _CUSTOM.worded(
        sentence(
            rf"<after>(?P<o>(?:{_DAY}|{_DAY} (?:mornings?|afternoons?|evenings?|nights?)|weekends|weeknights|mornings|evenings) (?:are|is) (?:for |reserved for |always |my |our |usually )(?!(?:fine|ok|good|bad|busy|free|out|best|worst|favou?rite|her|him|them)\b)[^\n,.;:!?()\"]{{3,50}}?)(?= (?:in (?:this|our|my) (?:house|home|family)|so|and|but|at ours)\b|$|[,.;:!?()])"
        ),
        (("Sunday mornings are for sourdough in this house", "Sunday mornings are for sourdough"),),
        ("Sundays are fine.", "Is Sunday for chess?", "Sundays are for her"),
    ),
    _CUSTOM.worded(
        sentence(
            rf"(?:on )?(?:every |each )?{_DAY}(?: (?:mornings?|afternoons?|evenings?|nights?))?,? (?P<o>(?:the|my|our) (?:[\w'-]+ ){{1,4}}?(?:meets?|gathers?|comes? (?:over|round|to)|practises?|practices?|rehearses?|plays?|trains?|runs?) (?:at|in|on|with|to|for|over|round) (?:my|our|me|us)[^\n,.;:!?()]{{0,30}})"
        ),
        (
            (
                "On Thursdays the life drawing group meets in my kitchen: I need snacks",
                "the life drawing group meets in my kitchen",
            ),
        ),
        (
            "On Thursdays the shop opens late.",
            "the group meets in my kitchen",
            "On Thursday her group meets at hers",
        ),
    ),
    _HABIT.worded(
        sentence(
            rf"(?P<o>(?!(?:including|following|during|meeting|starting|going|getting|being|having|doing|morning|evening)\b)[a-z]+ing (?:[^\n,.;:!?()\"]{{2,40}}? )?(?:(?:on )?{_DAYS}(?:(?:,| and| &) {_DAYS})*|every (?:day|morning|night|evening|week|weekend|{_DAY})))(?= [^\n]{{0,60}}\b(?:my|me|I'm|I)\b)"
        ),
        (
            (
                "Streaming on Twitch Tuesdays and Fridays wrecks my sleep",
                "Streaming on Twitch Tuesdays and Fridays",
            ),
        ),
        ("Running every day is healthy.", "During the evening every day I rest"),
    ),
    _HABIT.worded(
        clause(
            r"(?:I|we) (?:always |usually |mostly |often )?(?P<o>(?:keep|write in|tend|look after|run(?![^\n]{0,40}(?:shelter|rescue|hospice|library|church|mosque|temple|synagogue|soup kitchen|food ?bank))|lead|host|sing in|play in|train with|belong to|go to|help (?:out )?at|volunteer (?:at|with|for)|coach|umpire|referee) (?:an? |the |my |our )(?:[\w'-]+ ){0,4}?(?:diary|journal|allotment|veg(?:etable)? (?:patch|garden)|choir|band|orchestra|ceilidh|quartet|club|league|team|troupe|guild|knitting circle|book club|food ?bank|shelter|rescue|hospice|soup kitchen|library|church|mosque|temple|synagogue|scout (?:group|troop)|beehives?|hives|aquarium|terrarium)(?: (?:in|on|at|for|near|with) [^\n,.;:!?()]{2,40})?)(?= (?:and|but|so|which|where)\b|$|[,.;:!?()])"
        ),
        (("I keep a dream journal, every morning before coffee", "keep a dream journal"),),
        (
            "I keep a list.",
            "She sings in a choir",
            "I go to the page",
            "I run the night shelter on Canal Street",
        ),
    ),
)
