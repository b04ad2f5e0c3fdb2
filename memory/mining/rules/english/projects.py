"""What the user is making, and what it is called."""

from memory.mining.rules.english.grammar import clause
from memory.mining.rules.table import Rule

# Work that is over within the hour, and with which the assistant is often asked to help.
_SMALL = r"(?!(?:up )?an? (?:appetite|thirst|tolerance|cold|cough|rash|allergy|habit|tan|crush|headache|migraine|taste for|sweat|case against|immunity|bad feeling|fever|sore throat|hole in)\b)(?![^\n,.;:!?]{0,60}\b(?:today|tonight|tomorrow)\b)(?!(?:the |these |those |this )?(?:last|past|next|coming|previous|whole|entire|other) (?:[\w-]+ ){0,3}(?:minutes|hours|days|nights|weeks?|weekends?|months?|years?|decades?|summer|winter|spring|autumn)\b)(?!my way\b)(?!\d+ (?:this|next|last|in|on|soon|tomorrow|today)\b)(?!an? (?:\w+ )?(?:bowl|cup|glass|plate|pot|batch|pitcher|jug|lot) of\b)(?!(?:the|some|my|our) (?:photos?|pictures?|videos?)\b)(?!(?:an?|the|some|two|three) (?:\w+ )?projects?\b(?! (?:about|on|called|named)\b))(?!(?:it|this|that|these|those|one|them|on|(?:some )?(?:magic|memories|friends|noise|waves|fun|progress))\b)(?![^\n]{0,60}\b(?:emails?|letters?|functions?|scripts? (?:that|to)|quer(?:y|ies)|messages?|repl(?:y|ies)|homework|assignments?|exercises?|questions?|bugs?|errors?|issues?|tickets?|cv|resume|résumé|cover letter|lists?|tables?|summar(?:y|ies)|captions?|posts?|tweets?|comments?|paragraphs?|sentences?|line \d|(?<!\d )slides?|essays?|thoughts|characters?|headache|content|meetings?|parties|party|trip|itinerary|presentation|speech|toast|courage|(?:\w+ )?(?:for|at) (?:school|class|uni|university|college|a client|work|homework|an assignment|my (?:boss|teacher|class|students?|client))|something|things?|stuff|dinner|lunch|breakfast|tea|coffee|cake|note|efforts?|attempts?|point|schedule|appointment|plans?|copy|decision|choice|mistake|fuss|call|list|sense|progress|test|unit test|class|method|regex|form|reports? for|money|sure|headache|case)\b)"
_MAKING = r"(?:(?:building|developing|writing|creating|designing|renovating|restoring|launching|setting up|putting together|organi[sz]ing|coding|making|recording|filming|directing|producing|rebuilding|refurbishing|converting|translating|illustrating|knitting|crocheting|sewing|painting|composing|prototyping|migrating|rewriting|porting|refactoring|planting|landscaping|compiling|curating|editing|self-publishing|publishing|crowdfunding|digitising|digitizing|maintaining|remodelling|remodeling|decorating|mapping|researching|growing|brewing|training a model|growing|doing up|hacking on|turning|putting on|starting(?= (?:an?|my|our) (?:[\w-]+ ){0,3}(?:business|company|charity|podcast|blog|band|club|channel|garden|startup|shop|farm|newsletter|bakery|brewery|collective|festival)\b)|mapping|digitising|fixing up|coding up|setting up)(?: up)?)"

RULES = (
    Rule(
        kind="project",
        key="project_{slug}",
        predicate="works_on",
        statement="The user is working on {object}.",
        confidence=0.75,
        pattern=clause(
            rf"(?:(?:<I'm>|(?:my|our) (?:[\w-]+ ){{0,2}}(?:team|company|group|department|class|wife and I|husband and I|partner and I|family|band|lab|club)(?: is|'s| are) |(?:my \w+|me) and (?:I|my \w+) are )(?:now |busy |slowly |halfway through |in the (?:middle|process) of |almost finished |trying to finish )*{_MAKING}|(?:I've|we've) been {_MAKING}) "
            rf"{_SMALL}(?=(?:my|our|an?|the|some|custom|two|three|everything|\d+) )(?P<o>[^\n,.;:!?()\"]{{3,90}}?)(?= (?:for (?:the past|the last|about|over|\w+ (?:years|months|weeks))|since|at the moment|right now|with my|together|in my (?:spare|free) time|in the (?:garage|basement|evenings))\b| on weekends|$|[,.;:!?()\"])"
        ),
        yes=(
            ("I'm writing a novel about lighthouses.", "a novel about lighthouses"),
            ("I'm building a budgeting app", "a budgeting app"),
            ("I'm currently restoring a 1974 Vespa in the garage", "a 1974 Vespa"),
            ("We're renovating the attic into a studio", "the attic into a studio"),
            (
                "I'm putting together a family tree going back to 1700",
                "a family tree going back to 1700",
            ),
            ("our team is migrating the billing system to Stripe", "the billing system to Stripe"),
        ),
        no=(
            "I'm working on a bug.",
            "I'm writing a function",
            "If I'm building a house, what first?",
            "I'm writing an email to my boss",
            "I've been writing the last few weeks",
            "I've been making a big batch of quinoa",
            "I'm still editing the photos",
        ),
    ),
    Rule(
        kind="project",
        key="project_{slug}",
        predicate="works_on",
        statement="The user is working on {object}.",
        confidence=0.75,
        pattern=clause(
            rf"(?:<I'm>|(?:I|we)'ve been )(?:now |busy |still |also |slowly )*working on {_SMALL}(?P<o>(?:my|our|an?|the|two|some) (?:[\w'’-]+ ){{0,5}}?(?:app|application|website|web app|book|novel|novella|thesis|dissertation|ph\.?d(?: thesis| dissertation| project)?|game|startup|start-up|company|business|podcast|blog|album|ep|film|documentary|short film|house|cabin|shed|boat|van|course|library|framework|tool|robot|garden|memoir|newsletter|screenplay|script|portfolio|platform|side project|project|cookbook|comic|graphic novel|model|plugin|extension|engine|compiler|database|paper|manuscript|collection|series|exhibition|musical|play|mural|quilt|painting|sculpture|prototype|device|system|research(?! project| paper)|treehouse|kitchen|extension|campaign|translation|biography|dictionary|map|archive|patent|grant|rewrite|migration|redesign|greenhouse|pond|board game|video game|mod)\b(?: (?:about|for|called|named|on|that|in|of|with|to) [^\n,.;:!?]{{2,60}})?)"
        ),
        yes=(
            ("I'm working on my master thesis", "my master thesis"),
            (
                "working on my PhD thesis about medieval salt trade",
                "my PhD thesis about medieval salt trade",
            ),
        ),
        no=("I'm working on a bug.", "He's working on a novel"),
    ),
    Rule(
        kind="project",
        key="project_{slug}",
        predicate="works_on",
        statement="The user keeps this going: {object}.",
        confidence=0.75,
        pattern=clause(
            r"(?:I|we) (?:run|maintain|host|write|publish|organi[sz]e|produce|edit|curate|moderate|co-host|am the (?:author|maintainer|founder) of) (?P<o>(?:an? |the |my |our |two )(?:[\w'-]+ ){0,4}?(?:open[- ]source [\w -]{2,40}|library|newsletter|podcast|blog|channel|youtube channel|book club|meetup|community garden|subreddit|discord(?: server)?|website|app|zine|magazine|festival|choir|charity|non-?profit|community|webcomic|wiki|plugin|package|repo|server|etsy shop|shop)(?: (?:about|for|called|named|on|that|of|in) [^\n,.;:!?]{2,60})?)(?![\w-])"
        ),
        yes=(
            (
                "I maintain an open source library for parsing GPX files",
                "an open source library for parsing GPX files",
            ),
            ("I run a podcast about moss", "a podcast about moss"),
        ),
        no=("I read a blog about moss.", "She runs a podcast"),
    ),
    Rule(
        kind="project",
        key="project_{slug}",
        predicate="works_on",
        statement="The user has a project called {object}.",
        shape="organisation",
        pattern=clause(
            r"(?:<my>(?:[\w-]+ ){0,2}?(?:project|app|startup|start-up|company|business|podcast|blog|band|book|novel|game|newsletter|channel|website|album|shop|label|magazine)"
            r"(?: is (?:called|named|titled)|'s (?:name is|called)|,| called| named|:) |<I'm>(?:building|writing|making|working on|launching) (?:an? |my )?(?:[\w-]+ ){0,3}?(?:called|named) )<Org>"
        ),
        yes=(("My startup is called Brightleaf.", "Brightleaf"),),
        no=("My project is late.",),
    ),
    Rule(
        kind="project",
        key="project_{slug}",
        predicate="works_on",
        statement="The user's project is {object}.",
        confidence=0.75,
        pattern=clause(
            r"<my>(?:current |latest |new |big |next |main |ongoing |weekend |winter |summer |capstone |final[- ]year |garden |art |home |school )*(?:side project|side hustle|hobby project|pet project|passion project|project|thesis|dissertation|phd|master's thesis|research)(?: right now| at the moment| this year| these days)? (?:is (?:about |on )?|involves )(?!focused|based|late\b|due\b|done\b|not\b|in \b|going\b|called\b|finished|almost|nearly|stuck|on\b|that\b|to get\b|hard\b|a mess)(?:building |making |writing )?<o>"
        ),
        yes=(("My side project is a bird-call recogniser", "a bird-call recogniser"),),
        no=("My project is late.", "Her thesis is about bees"),
    ),
)
