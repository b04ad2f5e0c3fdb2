"""Aims with an end in sight, and works that are told by how far they have come."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import Template

_GOAL = Template("goal", "goal_{slug}", "wants", "The user wants this: {object}.", "deed", confidence=0.75)
_ENTERED = Template("goal", "goal_{slug}", "entered", "The user {object}.", "deed", confidence=0.75)
_WORK = Template("project", "project_{slug}", "works_on", "The user is working on {object}.", confidence=0.75)

_SEASON = r"(?:spring|summer|autumn|fall|winter|christmas|easter|new year|thanksgiving|january|february|march|april|may|june|july|august|september|october|november|december|my \w+ birthday|the (?:wedding|baby|summer|winter|spring|autumn|end of (?:the )?(?:year|summer|term|month|\w+)|holidays)|\d{4}|next (?:year|summer|winter|spring|autumn|season|term)|year end|graduation|retirement|the time I(?:'m| am) \w+)"
_UNTIL = rf"(?=[^\n]{{2,120}}?\b(?:(?:by|before|this|next|in time for) {_SEASON}|before (?:I|my|our|the (?:birth|wedding|trip|race|season|move|move|new year)))\b)"
_NOT = r"(?!(?:fix|find|debug|see|know|understand|figure|decide|work out|get (?:it|this|the|a (?:list|quote))|be able to (?:see|use)|use|make (?:it|this|sure)|write (?:an?|the) (?:email|mail|letter|message|function|script|query)|do (?:it|this|that)|book|order|send|ask|tell|reply|choose|pick|explain|remember)\b)"
_OPUS = r"(?:thesis|dissertation|manuscript|novel|novella|memoir|book|album|ep|screenplay|musical|opera|symphony|quartet(?: piece)?|sonata|game|podcast|documentary|film|short film|comic|graphic novel|webcomic|app|startup|start-up|side project|pet project|paper|monograph|cookbook|collection|exhibition|quilt|mural|boat|cabin|treehouse|garden|allotment|restoration|extension|renovation|phd|portfolio|newsletter|plugin|engine|synth|robot|telescope|model railway|sculpture|tapestry|cardigan|jumper|sweater|kitchen (?:reno\w*|extension)|loft conversion|shed|van (?:build|conversion)|campervan|website|blog|channel)"
_MAKING = r"(?:building|making|writing|developing|designing|restoring|renovating|setting up|putting together|opening|launching|composing|recording|converting|illustrating|translating|knitting|sewing|quilting|training|planting|digitising|digitizing|organising|organizing|coding|programming|carving|crocheting|filming|editing|mapping|researching|rebuilding|refitting|brewing|breeding|shooting|curating|welding|painting|turning)"
_SMALL = r"(?!(?:up )?an? (?:appetite|thirst|tolerance|cold|cough|rash|allergy|habit|tan|crush|headache|migraine|taste for|sweat|case against|immunity|bad feeling|fever|sore throat|hole in)\b)(?![^\n,.;:!?]{0,60}\b(?:today|tonight|tomorrow)\b)(?!\d+ (?:this|next|last|in|on|soon|tomorrow|today)\b)(?!an? (?:\w+ )?(?:bowl|cup|glass|plate|pot|batch|pitcher|jug|lot) of\b)(?!(?:the |these |those |this )?(?:last|past|next|coming|previous|whole|entire|other) (?:[\w-]+ ){0,3}(?:minutes|hours|days|nights|weeks?|weekends?|months?|years?|decades?|summer|winter|spring|autumn)\b)(?!(?:it|this|that|these|those|them|something|things?|an? (?:bowl|cup|glass|plate|pot|batch|pitcher|jug) of|a (?:list|call|mistake|decision|note|choice|table|point|start|plan|fuss|mess|copy|sandwich|cake|meal|coffee|tea|salad|soup|letter|mail|email|reply|message|review|report|presentation|summary|spreadsheet|query|function|script|regex|test|joke|toast|speech|cv|resume|conversation|family|business trip|new job|job|fight|sentence)|an? (?:[\w-]+ ){0,2}(?:email|effort|attempt|exception|letter|mail|reply|message|report|presentation|summary|essay|speech|toast|cv|cover letter|dinner|lunch|breakfast|sandwich|cake|salad|soup|meal|function|script|query|regex|test|table|list|slide|slides|assignment|homework|post|caption|sense|progress|trip|itinerary|shortlist|quiz|worksheet|lesson|lesson plan|invoice|quote|budget|schedule|spreadsheet|meeting|call|headache|character|thoughts|website for a client|app for a client|plan|plans|party)(?: |$)|my thoughts|sense|sure|progress|dinner|lunch|breakfast|soup|tea|coffee|my (?:cv|resume|homework|bed|way|point|case|decision|dinner|lunch|breakfast|tea|coffee|essay|speech|presentation|cover letter))\b)"

RULES = (
    _GOAL.worded(
        clause(
            rf"(?:I'm|I am|we're|I|we|I've been|we've been|my (?:wife|husband|partner|girlfriend|boyfriend) and I(?: are)?) (?:still |really |also |slowly |hoping to be |desperately )*(?:trying|aiming|hoping|planning|looking(?! for\b)|working|pushing|shooting|building up|training|saving|want|hope|plan|intend|aim|would like|'d like|'d love|aim|mean)(?: hard)? (?:to |for |towards? |on )(?:finally )?{_NOT}{_UNTIL}(?P<o>(?:[^\n;:!?()\"]|(?<=\d):(?=\d)){{4,100}}?)(?=,|$|[.;!?()]|:(?!\d)| (?:so|but|because|and (?:I|my|need|it|the))\b)"
        ),
        (
            ("I'm trying to get under 1:40 by spring", "get under 1:40 by spring"),
            (
                "I'm aiming for 90 thousand words before Easter so be a harsh coach",
                "90 thousand words before Easter",
            ),
        ),
        (
            "I'm trying to fix it by May.",
            "She's aiming for gold by spring",
            "I want to book a room by next week",
        ),
    ),
    _GOAL.worded(
        sentence(
            rf"(?:by|before|until|come|this|next) {_SEASON},? (?:I|we|I'm|we're|I'd|we'd) (?:really |finally |also )?(?:want|hope|plan|intend|aim|need|have|going|'d like|'d love|trying|aiming|hoping|like|love|will)(?: to)? {_NOT}(?!to )<o>"
        ),
        (
            (
                "By spring I want to hold a ten-minute conversation in Welsh",
                "hold a ten-minute conversation in Welsh",
            ),
        ),
        (
            "By spring he wants to leave.",
            "This summer I was ill",
            "By next week I want to book a room",
        ),
    ),
    _GOAL.worded(
        sentence(
            r"<after>(?:my |our |the )?(?:(?:big|main|real|only|long[- ]term|current|new|stretch|personal|professional) )*(?:goals?|aim|target|ambition|dream|resolution|mission|challenge) (?:for|this|of) (?:this |the |my |next |)?(?:term|year|month|season|summer|winter|spring|autumn|semester|quarter|decade|week|new year|twenties|thirties|forties|fifties|sixties|\d{4})(?: is|'s|:)(?: still| just| simply)? to (?!(?:sort|find|print|return|get (?:it|this)|minimi[sz]e|maximi[sz]e|write an?|create an?|have the|make the|make it|understand|explain|help the|give|show)\b)<o>"
        ),
        (
            (
                "goal for this term is to get every kid in 4B reading for pleasure",
                "get every kid in 4B reading for pleasure",
            ),
        ),
        ("The goal is to sort it.", "Her goal is to win", "The aim of the game is chess"),
    ),
    _GOAL.worded(
        sentence(
            r"(?:what (?:I'm|I am|we're) (?:really |actually |ultimately )?(?:working towards?|aiming (?:for|at)|saving (?:up )?for|training for|dreaming of|hoping for|building (?:up )?to|after)|(?:the|my|our) (?:dream|end goal|long-term plan|grand plan|big plan|five-year plan|ten-year plan|retirement plan))(?: is| would be|:|'s) (?:to )?(?!that\b|how\b|a (?:list|function|script|regex)\b|not\b)<o>"
        ),
        (("what I'm working towards is a small solo show in Porto", "a small solo show in Porto"),),
        ("What he's working towards is peace.", "What I'm after is a list"),
    ),
    _ENTERED.worded(
        clause(
            r"(?:I|we|I've|we've|I have) (?:just |already |been )?(?P<o>(?:signed up (?:for|to)|registered for|entered|got (?:a place|a spot|into|in) (?:in|on|at|for)|enrolled (?:in|on)|applied to|been accepted (?:to|into|on|for)|committed to|pledged to|promised (?:myself|my \w+)(?: to| that)?) (?!(?:it|this|that|(?:the |a |your |their )?(?:newsletter|rewards?\b[^\n]*|loyalty\b[^\n]*|card|plan|visa|loan|subscription|trial|free|account|service|app|website|job|jobs))\b)[^\n,.;:!?()\"]{3,60}?)(?= (?:and|but|so|without|which|because|with no)\b|$|[,.;:!?()])"
        ),
        (("signed up for a half ironman without owning a bike", "signed up for a half ironman"),),
        ("I signed up for the newsletter.", "She signed up for a half ironman", "I entered it"),
    ),
    _WORK.worded(
        clause(
            rf"(?:my|our|the (?=manuscript|thesis|dissertation|novel|screenplay|album)) ?(?P<o>(?:(?!(?:for|of|in|on|about|with)\b)[\w'-]+ ){{0,3}}?{_OPUS})(?:'s| is| are)(?: now| currently| still| almost| about| nearly)* (?=(?:at |up to |(?:about |around |over )?\d|\w+ (?:words|pages|chapters|rows) |(?:half|nearly|almost|two thirds|three quarters) (?:done|finished|way|written)|due|coming along|stuck|under way|underway|finished but|in (?:edits|revision|beta|draft)))(?! called)(?!at (?:home|work|school)|on (?:the|my|a) (?:table|desk|shelf|phone|website))"
        ),
        (("the manuscript's at 62k words, I'm aiming for 90", "manuscript"),),
        (
            "The book is on the table.",
            "Her novel is at 62k words",
            "my garden is green",
            "My budget for the garden is 300 euros",
        ),
    ),
    _WORK.worded(
        clause(
            rf"(?:(?:I'm|I am|we're|I've been|we've been|my (?:wife|husband|partner|girlfriend|boyfriend|brother|sister|dad|mum|mom|son|daughter|best friend|friend|team) and I are|our (?:team|band|class|club|company) is|(?:two|three|four|five|six|some|a few|both|most) of us are|(?-i:[A-Z])\w+ and I (?:\([^)\n]{{2,50}}\) )?are|me and [\w ]{{2,20}} are)(?: now| currently| slowly| still| also| busy| halfway through)* {_MAKING}) {_SMALL}(?P<o>(?:an? |the |my |our |some |two |three |\d+ )[^\n,.;:!?()\"]{{3,80}}?)(?= (?:for (?:the past|about|over|\w+ (?:years|months))|since|and (?:I|we|it|the|need|can)|but|so|because|which|with my)\b|$|[,.;:!?()])"
        ),
        (
            (
                "Four of us are making a roguelike in Godot called Mosslight",
                "a roguelike in Godot called Mosslight",
            ),
        ),
        (
            "I'm making a list.",
            "They are making a game",
            "Am I making a mistake?",
            "I'm developing a headache",
            "I'm writing a letter to my boss",
            "My sister is making a game",
        ),
    ),
    _WORK.worded(
        sentence(
            rf"<after>(?:[a-z]+ )?(?:(?:I'm|we're) )?(?:trying to|want to|need to|have to|hope to|struggling to) (?:get|finish|wrap up|complete|submit|release|ship|publish|edit|revise|record|restart|revive|pitch|sell) (?P<o>(?:my|our) (?!(?:[\w'-]+ ){{0,4}}\w+ing game\b)(?:[\w'-]+ ){{0,4}}?{_OPUS})\b(?: (?:done|finished|out|off the ground|into shape|published|recorded))?"
        ),
        (
            (
                "trying to get my string quartet piece done before the deadline",
                "my string quartet piece",
            ),
        ),
        (
            "trying to get my laptop to work",
            "He needs to finish my book",
            "I'm trying to get my car cleaning game back on track",
        ),
    ),
    _WORK.worded(
        sentence(
            rf"<lead>(?:the|this|a|my) (?:thing|project|piece|tool|app|site|machine|contraption|gadget|game|story|show) (?:that )?(?:I'm|we're|I've been|we've been) {_MAKING}(?: now| at the moment| with [\w ]{{2,20}})? (?:is|it's)(?: a,| an,)? (?:it's )?(?P<o>an? [^\n,.;:!?()\"]{{3,60}})"
        ),
        (
            (
                "okay so the thing I'm building is a, it's a weather station, for the roof",
                "a weather station",
            ),
        ),
        ("The thing he's building is a boat.", "The thing is a boat"),
    ),
)
