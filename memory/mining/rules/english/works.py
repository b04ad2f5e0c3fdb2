"""What somebody is making, found by the deed, by the kind of work or by how far it has come."""

from dataclasses import replace

from memory.mining.rules.english.classes import NOT_MINE
from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.templates import PROJECT

_WORK = replace(PROJECT, shape="deed")

_MAKING = (
    r"(?:building|writing|developing|designing|restoring|renovating|rebuilding|refitting|refurbishing|converting|insulating|extending|rewiring|replastering|repainting|retiling|reupholstering|remodell?ing|gutting|doing up|typing up|transcribing|scanning|catalogu?ing|archiving|indexing|adapting|arranging|scoring|choreographing|rehearsing|staging"
    r"|sculpting|casting|forging|carving|whittling|turning|welding|machining|soldering|wiring|3d[- ]printing|knitting|crocheting|sewing|quilting|weaving|embroidering|painting|illustrating|composing|recording|producing|filming|shooting|editing|translating|mapping|surveying|planting|landscaping|rewilding|terracing|breeding|brewing|programming|coding|modding|porting|rewriting|migrating|prototyping|digiti[sz]ing|curating|compiling|putting together|setting up|launching|opening|starting up|self-publishing|kitting out|fitting out|planning and building|assembling|reconstructing|hand-?building|homebrewing|training up|tracing|researching(?= (?:my|our) ))"
)
_SMALL = r"(?!(?:the |these |those |this )?(?:last|past|next|coming|previous|whole|entire|other) (?:[\w-]+ ){0,3}(?:minutes|hours|days|nights|weeks?|weekends?|months?|years?|decades?|summer|winter|spring|autumn)\b)(?![^\n]{0,60}\b(?:emails?|letters?|functions?|quer(?:y|ies)|messages?|repl(?:y|ies)|homework|assignments?|exercises?|questions?|bugs?|errors?|issues?|tickets?|cv|resume|résumé|cover letter|lists?|tables?|summar(?:y|ies)|captions?|posts?|tweets?|comments?|paragraphs?|sentences?|essays?|reports?|presentation|speech|toast|meeting|dinner|lunch|sandwich|coffee|tea|cake|note|plan|schedule|list|window|file|document|tab|page|account|bottle|jar|tin|door|box|text|copy|thread|chat|discussion|case|ticket|class|unit|test|loop|regex|column|button|form|characters?|headache|migraine|cold|cough|crush|appetite|habit|(?:for|as) (?:a client|school|class|work|homework|uni|college|an? assignment))\b)(?!(?:it|this|that|these|those|them|you|me|up|in|on|off)\b)"
_OPUS = r"(?:thesis|dissertation|capstone|manuscript|novel|novella|memoir|autobiography|book|album|ep|screenplay|musical|opera|symphony|quartet|sonata|video game|board game|podcast|documentary|short film|comic|graphic novel|webcomic|startup|start-up|side project|pet project|paper|monograph|cookbook|poetry collection|exhibition|quilt|mural|treehouse|phd|portfolio|zine|loft conversion|kitchen extension|extension|renovation|self-build|van (?:build|conversion)|campervan conversion|restoration|garden redesign|family tree|family history|model railway|short story collection|mod)"
_STOP = r"(?= (?:and (?:I|we|it|the|need|can|my)|but|so|because|which|for the past|since|with my|where)\b|$|[,.;:!?()])"

RULES = (
    _WORK.worded(
        clause(
            rf"(?:I'm|we're|I am|we are|I've been|we've been|(?:[^\n,.;:!?()]{{2,60}} and I|me and [\w ]{{2,20}}|(?:two|three|four|some) of us)(?: \([^)\n]{{2,60}}\))? are|I \([^)\n]{{2,60}}\) are)(?: now| currently| slowly| still| also| busy| finally| halfway through| in the middle of| knee-deep in| half way through)* (?P<o>{_MAKING} {_SMALL}(?:an? |the |my |our |some |two |three |a second |everything |\d+ |(?=(?-i:[A-Z]))|[a-z]+ (?=[a-z]+s\b))[^\n,.;:!?()\"]{{3,80}}?){_STOP}"
        ),
        (
            (
                "I'm insulating the back bedroom myself this autumn.",
                "insulating the back bedroom myself this autumn",
            ),
            ("Halfway through restoring a 1936 Singer treadle.", "restoring a 1936 Singer treadle"),
        ),
        (
            "I'm opening the door.",
            "She's insulating the bedroom",
            "Am I building a wall?",
            "I'm writing an email to my boss",
        ),
    ),
    _WORK.worded(
        clause(
            r"(?:I'm|we're|I am|we are) (?:now |finally |about to be |in the middle of |halfway through )*(?P<o>(?:buying|selling|doing up|fixing up|taking on|refurbing|flipping) (?:an? |the |my |our )(?:[\w'-]+ ){0,4}?(?:house|farmhouse|flat|cottage|barn|church|chapel|boat|narrowboat|van|bus|land|plot|croft|apartment|chateau|ruin|mill|schoolhouse|cabin|woodland|pub|shop|caf[eé])(?: [^\n,.;:!?()]{2,40}?)?)(?= (?:and|but|so|which|with)\b|$|[,.;:!?()])"
        ),
        (
            (
                "We're buying my grandfather's old farmhouse, power of attorney needed",
                "buying my grandfather's old farmhouse",
            ),
        ),
        ("They are buying a house.", "I'm buying a coat", "Should we be buying a house?"),
    ),
    _WORK.worded(
        sentence(
            rf"{NOT_MINE}<lead>(?<!\bin )(?:the|an?|this|my|our) (?P<o>(?:(?!(?:the|of|for|in|on|thing|one|only|same|reason|way|time|first|last|next|question|problem|issue|email|letter|essay|report|code|script|function|uses?|is|are|has|have|was|but|and|or|because|when|past|previous|coming)\b)[\w'-]+ ){{0,3}}?(?!(?:minutes?|hours?|days?|nights?|weeks?|weekends?|months?|years?|decades?|summers?|winters?|running|thing|one|stuff|project|reason|way|time|question|problem|issue|email|letter|essay|report|code|script|function|page|file|query|assignment|paper|architecture|atmosphere|brand|case|foundation|framework|habit|list|momentum|mood|plan|relationship|routine|scenario|skills?|story|structure|system|theme|tone|trust|vibe|world)\b)[\w'-]+) (?:that )?(?:I'm|we're|I've been|we've been) (?:{_MAKING})(?![^\n]{{0,20}} (?:about|on) this)"
        ),
        (
            (
                "im torn about fonts for the parish website im building (volunteer gig)",
                "parish website",
            ),
            ("the app I'm writing to celebrate it counts clean lungs", "app"),
        ),
        (
            "For the past four months I've been building it",
            "the thing I'm building is late",
            "the app she's building",
            "It fits the 'heritage' vibe we're building",
            "the email I'm writing",
        ),
    ),
    _WORK.worded(
        sentence(
            rf"{NOT_MINE}<lead>(?:my|our) (?P<o>(?:(?!(?:of|for|in|on|about|with|and|or|to|is|was|favou?rite|new|teacher's|professor's)\b)[\w'-]+ ){{0,3}}?{_OPUS}(?:'s)?(?: (?:on|about|of|called|for|set in|is about|is on|in) [^\n,.;:!?()]{{3,70}}?|(?: is|'s)? due [^\n,.;!?()]{{3,20}}: (?:an? )?[^\n,.;:!?()]{{3,60}}|(?: is|'s)? (?=at \d|half|nearly|almost|due|done|finally|stuck)))(?= (?:and|but|so|because|needs?|is|was|has|which|wants?|by)\b|$|[,.;:!?()]|at \d|half|nearly|almost|due|done|finally|stuck)"
        ),
        (
            (
                "draft the abstract for my paper on how moss moves nitrogen, 150 words",
                "paper on how moss moves nitrogen",
            ),
            (
                "my capstone is due 30 May: a bee counter that runs on a solar panel.",
                "capstone is due 30 May: a bee counter that runs on a solar panel",
            ),
        ),
        ("my favourite book is late", "her paper on moss", "Is my paper on moss good?"),
    ),
    _WORK.worded(
        sentence(
            rf"(?:the |our |my )?(?P<o>(?:first|second|third|new|debut|next|current) (?:{_OPUS})(?:'s| is) (?:at|up to|past) [^\n,.;:!?()]{{3,30}}(?:, (?:an? )[^\n,.;:!?()]{{3,50}})?)(?=[,.;:!?()]|$)"
        ),
        (
            (
                "First novel's at 61k words, a ghost story set in a Grimsby ice factory.",
                "First novel's at 61k words, a ghost story set in a Grimsby ice factory",
            ),
        ),
        ("Her first novel's at 61k words", "First novels are hard"),
    ),
    _WORK.worded(
        sentence(
            rf"{NOT_MINE}<after>(?:still |currently |now |now trying |been )*(?P<o>(?:working (?:my way )?through|making my way through|halfway through|knee-deep in|hacking on|tinkering with|chipping away at|slogging through) (?!(?:this|that|it|the (?:night|weekend|day)|my (?:emails|inbox))\b)[^\n,.;:!?()]{{3,60}}?)(?= (?:and|but|so|with|at)\b|$|[,.;:!?()])"
        ),
        (
            (
                "Working through SICP a chapter a month with two friends.",
                "Working through SICP a chapter a month",
            ),
        ),
        ("working through it", "Is working through SICP hard?"),
    ),
    _WORK.worded(
        clause(
            r"(?:I've|I have|we've|we have) (?:got )?(?:this |an? )(?P<o>(?:half-finished|half-built|part-finished|unfinished|half-restored|half-knitted|half-written) [^\n,.;:!?()]{3,50}?)(?= (?:and|but|so|that|which)\b|$|[,.;:!?()])"
        ),
        (
            (
                "So I've got this half-finished dulcimer on the bench, spruce top",
                "half-finished dulcimer on the bench",
            ),
        ),
        ("She has a half-finished dulcimer", "I've got a bench"),
    ),
)
