"""What somebody is at, told plainly: money put aside, works begun, shifts, dates due, tools in use."""

from dataclasses import replace

from memory.mining.rules.english.classes import NOT_MINE
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import (
    CAN,
    DEVICE,
    EVENT,
    GOAL,
    HABIT,
    PROJECT,
    REMEMBER,
    USES,
    Template,
)

_GOAL = replace(GOAL, shape="deed")
_PROJECT = replace(PROJECT, shape="deed")
_HABIT = replace(HABIT, shape="deed")
_CAN = replace(CAN, shape="deed", confidence=0.75)
_DEED = Template(
    "experience",
    "experience_{slug}",
    "experienced",
    "The user said: “I {said}”.",
    "deed",
    confidence=0.75,
)
_USES = replace(USES, shape="tool")

_UNNAMED = r"(?!(?:it|this|that|them|those|these|something|you|now|later|a while|you)\b)"
_MAKING = r"(?:building|restoring|renovating|converting|sewing|knitting|carving|designing|composing|rebuilding|quilting|crocheting|translating|recording|refitting|doing up)"
_SOFTWARE = r"(?:crate|plugin|plug-in|package|library|repo(?:sitory)?|gem|module|extension|app|add-on|driver|distro|toolkit|framework|mod)"
_STOP = r"(?=$|[,.;:!?()]| (?:and|but|so|because|since|which|who|though|modelled|that)\b)"
_DATE = r"(?=(?:on |by )?(?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w* \d|\d{4}-\d\d))"
_KNOWN_HOW = r"(?:yodel|juggle|knit|sew|weld|solder|ski|sail|surf|fence|crochet|whittle|unicycle|lip[- ]?read|touch[- ]?type|pick locks|shoe horses|shear sheep|ride (?:a (?:horse|unicycle|motorbike)|horses)|drive (?:a (?:tractor|lorry|truck|bus|manual|stick)|stick|manual)|read (?:braille|music|tarot|hieroglyph\w*)|play the \w+|make (?:sourdough|cheese|wine|soap|candles|kimchi)|bake bread|fly a (?:glider|plane|kite|drone)|do (?:magic|card tricks|a backflip|cartwheels))"

RULES = (
    _GOAL.worded(
        clause(
            rf"(?:I'm|we're|I've been|we've been) (?:(?:putting|setting|tucking|salting|squirrel?ling|stashing|socking) (?:(?:some |a bit of |a little )?(?:money|cash) )?(?:aside|away|by)(?: (?:some )?(?:money|cash|a bit))?|saving (?:hard|like mad|every penny|money)) (?:for|towards?) {_UNNAMED}<o>"
        ),
        (
            ("I'm putting money aside for a camper van", "a camper van"),
            ("I'm squirrelling away cash towards a year off", "a year off"),
        ),
        (
            "She's putting money aside for a van",
            "I'm putting it aside for now",
            "Am I putting money aside for a van?",
            "If I'm putting money aside for a van, how much?",
        ),
    ),
    _GOAL.worded(
        clause(
            r"(?:I'm|we're|I've been|we've been) (?:thinking (?:of|about)|planning on|considering) trying for (?P<o>(?:an?|another) (?:(?:second|third|little) )?(?:baby|child|kid|girl|boy))(?![\w-])"
        ),
        (("we're thinking of trying for a baby this autumn", "a baby"),),
        ("They're thinking of trying for a baby", "Are we thinking of trying for a baby?"),
    ),
    _GOAL.worded(
        clause(
            r"(?:I've|we've|I have|we have) (?:made up (?:my|our) minds?|set my heart on|resolved) to (?!(?:ask|write|fix|try|book|order|tell|say|send|do|use)\b)<o>"
        ),
        (
            (
                "I've made up my mind to clear the mortgage before 2031",
                "clear the mortgage before 2031",
            ),
        ),
        (
            "She's made up her mind to leave",
            "I've made up my mind to try it",
            "Have I made up my mind to go?",
        ),
    ),
    _GOAL.worded(
        sentence(
            r"<after>(?:the|my|our) plan is to (?!(?:use|write|get this|make this)\b)(?P<o>[^\n.;:!?()]{5,90}? before (?:I'm|we're|I turn|I hit) \w+)"
        ),
        (
            (
                "The plan is to leave banking and go into landscape gardening before I'm 40",
                "leave banking and go into landscape gardening before I'm 40",
            ),
        ),
        (
            "The plan is to leave.",
            "Her plan is to leave before I'm 40",
            "Is the plan to go before I'm 40?",
        ),
    ),
    _GOAL.worded(
        sentence(
            r"(?:<after>(?:I'm|we're)|(?:come|in|next|this) (?:spring|summer|autumn|winter|january|february|march|april|may|june|july|august|september|october|november|december|year),? (?:I'm|we're)) (?:off|going|planning|about|heading off) to (?P<o>settle (?:down )?in (?-i:[A-Z])[\w-]+(?: (?-i:[A-Z])[\w-]+)?)"
        ),
        (("Come spring we're off to settle in Galway, though not yet", "settle in Galway"),),
        ("Come spring she's off to settle in Galway", "Are we going to settle in Galway?"),
    ),
    _PROJECT.worded(
        clause(
            rf"(?:(?:I|we) (?:look after|maintain|take care of)|I'm the (?:sole |lead |main )?maintainer of|I've been maintaining) (?P<o>an? (?:[\w.+#-]+ ){{0,3}}?{_SOFTWARE}(?: (?:for|that|to) [^\n,.;:!?()]{{3,40}})?)(?=$|[,.;:!?()])"
        ),
        (
            (
                "I look after a small Rust crate that reads barcodes",
                "a small Rust crate that reads barcodes",
            ),
            (
                "I'm the maintainer of a WordPress plugin for seating plans",
                "a WordPress plugin for seating plans",
            ),
        ),
        (
            "She looks after a Rust crate",
            "I look after a small dog.",
            "Should I maintain a plugin?",
        ),
    ),
    _PROJECT.worded(
        clause(
            rf"(?:I've|we've|I have|we have) (?:just )?(?:begun|started) {_MAKING} (?P<o>(?:an?|the|my|our) (?!(?:plan|list|email|table|function|script|query)\b)[^\n,.;:!?()]{{3,60}}?){_STOP}"
        ),
        (("I've begun building a dolls' house modelled on my gran's place", "a dolls' house"),),
        (
            "She's begun building a house",
            "Have I begun building a house?",
            "I've begun building a list",
        ),
    ),
    _PROJECT.worded(
        sentence(
            rf"(?:<after>)my (?:partner|wife|husband|girlfriend|boyfriend|brother|sister|dad|mum|mom|son|daughter|best friend|friend|neighbour) and I are {_MAKING} (?P<o>(?:an?|the|our|my) [^\n,.;:!?()]{{3,60}}?){_STOP}"
        ),
        (
            (
                "My partner and I are converting a school bus into a tiny home",
                "a school bus into a tiny home",
            ),
        ),
        ("Her partner and I are building a shed", "If my wife and I are building a shed, then?"),
    ),
    _HABIT.worded(
        clause(
            r"(?:I|we) (?P<o>(?:do|work) (?:split|rotating|night|late|early|double|swing|twilight|back) shifts)(?! (?:this|next|last|today|tomorrow)\b)(?![\w-])"
        ),
        (("I do split shifts, so afternoons are when I nap", "do split shifts"),),
        ("She does split shifts", "I do late shifts this week", "Should I work night shifts?"),
    ),
    _HABIT.worded(
        clause(
            r"I'm (?P<o>on (?:earlies|lates|nights|permanent nights|rotating shifts)(?: (?:all (?:year|month|winter|summer)|for good|permanently|every other week)))(?![\w-])"
        ),
        (("I'm on earlies all year, lights out at half eight", "on earlies all year"),),
        ("He's on earlies all year", "I'm on nights tonight", "Am I on lates all month?"),
    ),
    _HABIT.worded(
        clause(
            r"(?:I|we) (?P<o>have (?:an? )(?:hot |cold |long |quick )?(?:bath|shower|nap|siesta|sauna|swim|lie-in|smoothie|cup of \w+|glass of \w+|pint) (?:nearly |almost |just about |pretty much )?(?:every|each|most) (?:single )?(?:morning|day|afternoon|evening|night|weekend|sunday|saturday|friday|lunchtime)s?)(?![\w-])"
        ),
        (("i have a bath nearly every evening", "have a bath nearly every evening"),),
        (
            "She has a bath every evening",
            "I have a meeting every evening",
            "Should I have a nap every day?",
        ),
    ),
    _HABIT.worded(
        clause(
            r"I'm (?:forever|always|constantly|perpetually) (?P<o>(?:losing|forgetting|misplacing|dropping|spilling|biting|breaking|humming|doodling) (?!(?:it|this|that|track|you|count)\b)[^\n,.;:!?()]{3,40}?)(?=$|[,.;!])"
        ),
        (("I'm forever losing my gloves, it's ridiculous", "losing my gloves"),),
        ("He's forever losing gloves", "I'm always losing it", "Am I forever losing things?"),
    ),
    _CAN.worded(
        clause(rf"(?:I|we) (?:do |actually )?know how to (?P<o>{_KNOWN_HOW})(?![\w-])"),
        (("I know how to yodel, not that anybody's ever asked", "yodel"),),
        (
            "Do you know how to yodel?",
            "She knows how to juggle",
            "I know how to fix it",
            "If I know how to knit, what yarn?",
        ),
    ),
    _DEED.worded(
        clause(
            r"(?:I|I've|I have) (?:finally |just )?(?P<o>passed my (?:driving|motorbike|motorcycle|theory|hgv|lorry|bus|boat|citizenship|flying) (?:test|exam)(?: in [a-z]+| last \w+)?)(?![\w-])"
        ),
        (("I passed my motorbike test in February", "passed my motorbike test in February"),),
        (
            "She passed her driving test",
            "Have I passed my driving test?",
            "If I passed my theory test, then?",
        ),
    ),
    replace(DEVICE, confidence=0.75).worded(
        sentence(
            r"<after>the (?P<r>phone|laptop|computer|camera|tablet|keyboard|printer|monitor|e-reader|car|bike|van) (?:that )?(?:I|we) (?:use|have|own|drive|ride|carry) is (?:an? |the )?(?!(?:old|broken|slow|fine|too|not|so|very|dead)\b)(?P<o>(?=[^\n,.;]*(?-i:[A-Z]))[^\n,.;:!?()]{3,50}?)(?=$|[,.;!]| (?:with|and|but|so|running|which)\b)"
        ),
        (("the phone I use is a Fairphone 5 with LineageOS on it", "Fairphone 5"),),
        (
            "The phone she uses is a Fairphone",
            "The phone I use is broken",
            "Is the phone I use a Nokia?",
        ),
    ),
    _USES.worded(
        sentence(
            rf"{NOT_MINE}<after>(?:(?:our|my|the) )?(?:backend|back end|frontend|front end|api|server side)(?:'s| is) (?:written |built |all |done )*in (?P<o>(?-i:[A-Z])[\w.+#-]*)(?= (?:with|and|on)\b|$|[,.;!])"
        ),
        (("backend's in Elixir with Redis, deployed through Nomad", "Elixir"),),
        ("His backend is in Elixir", "Is the backend in Go?", "the backend's in trouble"),
    ),
    _USES.worded(
        sentence(
            rf"{NOT_MINE}<after>(?:(?:our|my|the) )?(?:backend|back end|frontend|front end|api|server side)(?:'s| is) (?:written |built |all |done )*in (?-i:[A-Z])[\w.+#-]* (?:with|and|on) (?P<o>(?-i:[A-Z])[\w.+#-]*)"
        ),
        (("backend's in Elixir with Redis, deployed through Nomad", "Redis"),),
        ("His backend is in Elixir with Redis", "Is the backend in Go with Redis?"),
    ),
    _USES.worded(
        clause(
            r"(?:I|we) (?:self-)?host (?:it all|all of it|everything|all this|my \w+|our \w+) (?:on|with) (?:an? |my |our )?(?!\w+day\b)(?P<o>(?-i:[A-Z])[\w.+-]+(?: (?:box|server|cluster|machine|node))?)(?![\w-])"
        ),
        (("we host it all on a Proxmox box and use Caddy in front", "Proxmox box"),),
        (
            "They host it all on a Proxmox box",
            "Should we host everything on AWS?",
            "we host it all on Friday nights",
        ),
    ),
    EVENT.worded(
        sentence(
            rf"{NOT_MINE}(?:(?:my|our) )?(?P<o>(?!(?:the|his|her|their|your|rent|is|amount|payment|total|balance)\b)[a-z][\w'-]*(?: [\w'-]+){{0,2}}?) (?:is )?(?:due|cut-?off|closing date): {_DATE}"
        ),
        (
            ("manuscript due: 30 August 2024. Chapters done: two.", "manuscript"),
            ("tax return cutoff: 31 July 2024. I've opened one envelope.", "tax return"),
        ),
        ("Her manuscript due: soon", "Amount due: 30 August 2024", "the thesis due: 3 May 2024"),
    ),
    REMEMBER.worded(
        sentence(
            r"<after>(?:(?:memo|note) (?:to self )?for later:|jot this down(?: for me)?[:,]|(?:please )?remember for next time[,:]) <clause>"
        ),
        (
            (
                "Memo for later: the paint in the hallway is called Mole's Breath",
                "the paint in the hallway is called Mole's Breath",
            ),
            (
                "Remember for next time, Lidia's goulash simmers four hours",
                "Lidia's goulash simmers four hours",
            ),
        ),
        ("Do you remember that for next time?", "She left a memo for later: no"),
    ),
)
