"""What the user does for a living, and studies."""

from memory.mining.rules.english.grammar import clause, sentence
from memory.mining.rules.table import Rule

_HOW = r"(?:(?:part[- ]time|full[- ]time|remotely|freelance|nights|shifts|mostly|here|as an? [\w -]{2,40}?|in (?:the )?[\w &-]{2,30}?) ){0,2}"

JOB = (
    Rule(
        kind="experience",
        key="former_employer_{slug}",
        predicate="worked_at",
        statement="The user no longer works at {object}.",
        shape="organisation",
        ended=True,
        pattern=clause(
            r"(?:(?:I|we) (?:no longer work|used to work|don't work|quit my job|stopped working|don't work any ?more"
            r"|was laid off|got laid off|was fired|got fired|got made redundant|was made redundant|left my job|retired|worked|was working|was employed|interned|did an internship|handed in my notice) (?:(?!(?:at|for|from|by|with|on|out|hard|together|closely|through|it|this|that|my way)\b)[\w-]+ ){0,4}(?:at|for|from|by|with) "
            r"|<I'm>no longer (?:with|at|working (?:at|for)|employed (?:at|by)) |my (?:old|former|previous|last|ex-) ?(?:employer|company|job|firm) was (?:at )?|my last day at (?=[^\n]{2,30} was)"
            r"|I (?:left|quit|resigned from) (?=(?-i:[A-Z])))(?!for\b)(?<!worked with )(?<!working with )<o>"
        ),
        yes=(
            ("I no longer work at Acme.", "Acme"),
            ("I quit my job at Foo Labs last month", "Foo Labs"),
            ("I used to work for Siemens", "Siemens"),
            ("I left Google in March.", "Google"),
            ("I no longer work for the post office, they closed our branch", "the post office"),
        ),
        no=(
            "I left home early.",
            "I worked with Michele on it",
            "I quit smoking.",
            "If I quit my job at Acme, what then?",
        ),
    ),
    Rule(
        kind="identity",
        key="employer",
        predicate="works_at",
        statement="The user works at {object}.",
        shape="organisation",
        confidence=0.9,
        pattern=clause(
            rf"(?:(?:I|we) (?:now )?(?:work|am working|am employed|have worked|have been working|am interning|intern) {_HOW}(?:at|for|with) "
            rf"|(?:I've|we've) (?:worked|been working|been employed|been) {_HOW}(?:at|for|by|with) (?=(?:the |an? )?(?:\w+ (?:called|named) )?(?-i:[A-Z])|the (?:police|fire (?:service|department|brigade)|post office|council|city|army|navy|railways?|church|government|ministry|un\b))|<I'm>(?:now )?(?:working|employed|interning|contracting) {_HOW}(?:at|for|by|with) |<I'm>(?:now )?(?:an? |the )(?![\w -]{{0,30}}(?:student|sophomore|freshman|junior|senior|fresher|undergrad\w*|patient|regular|guest|member|customer|volunteer|beginner|speaker|resident|fan|visitor)\b)[\w -]{{2,40}}? at (?=(?:the |an? )?(?-i:[A-Z])|the |a \w+ called)|<I'm>(?:now )?at (?=(?-i:[A-Z])[^\n,]{{1,25}} (?:now|these days)[.!]?$)|<I'm>on the \w+ shift at |<I'm>doing (?:an? |my )(?:\w+ )?(?:internship|apprenticeship|placement|residency|traineeship|fellowship) (?:at|with) "
            r"|(?:I|I've) (?:just )?(?:started|got a job|accepted a (?:job|position|role|offer)|got hired|joined|landed a job|signed|took a (?:job|position|role)|moved to a (?:job|role)|start(?:ed)? a new job)(?: working| a new job| my new job| as an? [\w -]{2,40}?| an? (?:internship|apprenticeship|traineeship))? ?(?:at|with|by|(?<=joined)(?! [^\n,.;]{0,40}\b(?:club|group|gym|choir|community|platform|challenge|forum|society|course|class|league|church|waitlist|call|meeting|parade|(?:yoga|dance|pilates|fitness|art|pottery) studio|orchestra|chat)s?\b)) "
            r"|<my>(?:new |current )?employer is |(?:the )?(?:company|firm|place|startup|shop|school|hospital|agency|studio) (?:that |where )?(?:I|we) work(?: at| for| in)?,? (?:is |it's )(?:called )?|<my>(?:new |current )?(?:company|firm|employer|workplace)(?: is called| is named| is|'s called) (?=(?-i:[A-Z])))"
            r"(?:an? (?:[\w-]+ ){0,3}(?:company|startup|start-up|firm|agency|studio|bank|shop|ngo|charity|school|hospital|restaurant|lab) (?:called|named) )?<o>"
        ),
        yes=(
            ("I work at Google.", "Google"),
            ("I work for the University of Bern as a librarian", "the University of Bern"),
            ("I'm a nurse at Charité.", "Charité"),
            ("I just started working at Acme Corp", "Acme Corp"),
            ("I work at a startup called Foo Labs and love it", "Foo Labs"),
            ("the company I work at is called Northvolt, ever heard of it?", "Northvolt"),
            ("I work for the city council, in the parks department", "the city council"),
            ("started at Spotify on monday!!", "Spotify"),
        ),
        no=(
            "I work at home.",
            "I work at night.",
            "I don't work at Google.",
            "If I work at Google, what is the pay?",
            "She works at Google.",
            "I'm a beginner at this",
            "I started talking",
            "I work for coffee",
            "I joined a chess club and practice there",
        ),
    ),
    Rule(
        kind="identity",
        key="occupation",
        predicate="works_as",
        statement="The user's occupation is {object}.",
        shape="occupation",
        confidence=0.85,
        pattern=clause(
            r"(?:(?:I|we|I've been|I've) (?:work|am working|freelance|freelancing|freelanced|moonlight|moonlighting) (?:t?here |(?:at|for|in|on|with) [^\n,.;:!?]{2,40}? |(?:part|full)[- ]time |nights |mostly |mainly )?as (?:an? |the )?|<I'm>(?:now |been )?working as (?:an? )?|<my>(?:current |day |main |new |official )?(?:job|job title|profession|occupation|title|role|trade) is (?:as )?(?:an? |being an? |that of an? )?"
            r"|<I'm>(?:now |self-employed as |employed as |an? fully qualified )?(?:an? |the (?=head\b|director|manager|owner|founder|co-founder|ceo|cto|lead\b|mayor|vicar|principal))|<I'm>(?=head of |professor of |director of |chief )|by (?:trade|profession|day),? I'm (?:an? )?|I (?:became|qualified as|trained as|was promoted to|got promoted to) (?:an? )?)<o>"
        ),
        yes=(
            ("I work as a nurse at Charité", "nurse"),
            ("I'm a software engineer.", "software engineer"),
            ("I am a retired teacher and I paint", "retired teacher"),
            (
                "Just so you have context, I'm the head of procurement at a mid-size brewery",
                "head of procurement",
            ),
            ("I'm a paralegal and should probably know lol", "paralegal"),
        ),
        no=(
            "I'm a big fan.",
            "I'm a vegetarian.",
            "I'm a cat lover.",
            "I'm not a doctor.",
            "I'm a bit tired.",
            "I want you to act as a doctor.",
            "My father is a doctor.",
        ),
    ),
    Rule(
        kind="identity",
        key="occupation",
        predicate="works_as",
        statement="The user's occupation is {object}.",
        shape="occupation",
        confidence=0.8,
        pattern=sentence(
            r"(?:(?:as an? (?!user|person|result|rule|side|group|general|matter|whole|kid|child|last|bonus|test|human|reader|customer|member)|speaking as an? )(?=[^\n,]{3,50}?,? (?:I|my|we)\b)(?![^\n]{3,60}\bI (?:feel|believe|think|argue) (?:that|only|it)\b)(?![^\n,]{3,60}, I (?:want|need|would like|should be able|can|must) to\b)|(?=[^\n,.;!?]{3,50} here(?:[,.!;]|$)))<o>"
        ),
        yes=(
            (
                "As a retired maths teacher I find this explanation a bit sloppy.",
                "retired maths teacher",
            ),
            ("freelance illustrator here, mostly children's books", "freelance illustrator"),
        ),
        no=("As a result I failed.", "The teacher here is nice.", "Newcomer here!"),
    ),
    Rule(
        kind="identity",
        key="living",
        predicate="earns_a_living",
        statement="What the user does for a living: {object}.",
        shape="deed",
        confidence=0.8,
        pattern=clause(
            r"(?:I|we) (?P<o>(?!(?:don't|can't|want|wish)\b)[a-z][^\n,.;:!?()\"]{3,50}) for a living"
        ),
        yes=(("I drive a taxi for a living", "drive a taxi"),),
        no=("What do I do for a living?", "She paints for a living"),
    ),
    Rule(
        kind="identity",
        key="living",
        predicate="earns_a_living",
        statement="What the user does for a living: {object}.",
        shape="deed",
        confidence=0.75,
        pattern=clause(
            r"(?:I|we) (?:now |currently )?(?P<o>(?:do|keep|run|handle|look after) (?:the )?(?:accounts|books|bookkeeping|payroll|marketing|admin|it|hr|catering|cleaning|security|maintenance|gardens?|front desk|bar|kitchen|sales|logistics|communications|press) (?:for|at|in) (?:an? |the |my |our |(?=(?-i:[A-Z])))[^\n,.;:!?()\"]{2,40}?)(?= (?:now|and|but|so|these)\b|$|[,.;:!?()]| -)"
        ),
        yes=(("I do the accounts for a charity now", "do the accounts for a charity"),),
        no=("I do the cleaning.", "She does the books for a shop", "Do I do the books for a shop?"),
    ),
    Rule(
        kind="identity",
        key="employer",
        predicate="works_at",
        statement="The user works at {object}.",
        shape="organisation",
        confidence=0.8,
        pattern=sentence(
            r"(?:[^\n.;!?]{1,60}[,;] )?(?:I've been|I've worked|I work|I'm|I'm working|I've been working)(?: [\w ]{2,20})? (?:at|for|with) (?:an?|the same|my) (?:[\w'-]+ ){0,3}?(?:firm|company|employer|bank|startup|agency|charity|hospital|school|studio|practice|brewery|bakery|shop|supermarket|insurer|consultancy|lab|paper|publisher|garage|council|theatre|museum|hotel|restaurant), (?!(?:mon|tues|wednes|thurs|fri|satur|sun)day)<Org>(?=,|\.|$| (?:in|since|as|and)\b)"
        ),
        yes=(("I've been with the same firm, Arup, since leaving university.", "Arup"),),
        no=("I work for a bank, Monday to Friday", "She's with the same firm, Arup."),
    ),
    Rule(
        kind="identity",
        key="works_in_{slug}",
        predicate="works_in",
        statement="The user works in {object}.",
        confidence=0.8,
        pattern=clause(
            r"(?:(?:I|we) work|<I'm>(?:now )?working|(?:I've|we've) (?:worked|been working)) (?:part[- ]time |full[- ]time |mostly |mainly )?in (?:the )?(?:field of |area of )?(?!the\b|it\b|this\b|that\b|my\b|our\b|(?:ableton|logic pro|pro tools|davinci|premiere|final cut|photoshop|lightroom|illustrator|indesign|figma|blender|autocad|revit|solidworks|scrivener|notion|after effects)\b|a (?:file|project|branch|script|doc|team|group|office|cubicle|hurry|different|new|similar)|teams?\b|groups?\b|weekends|shifts|an? |peace|silence|bed|python\b|java\b|excel\b|[A-Z]{2}\b|person\b|the (?:morning|evening|dark|office)|cmd|linux|windows|[^\n]{0,40}\b(?:today|tonight|tomorrow|this week)\b|field\b|industry\b|area\b|past\b|future\b|real\b|general\b|progress\b)"
            r"(?P<o>[a-z][\w&-]+(?: (?:and )?[a-z][\w&-]+){0,3}?)(?: (?:department|industry|sector|business))?(?=$|[,.;!?]| (?:at|for|as|in|and|so|but|since|near|with|now|these)\b)"
        ),
        yes=(
            ("I work in logistics.", "logistics"),
            ("I work in marketing at a bank", "marketing"),
            ("I work in Human Resources", "Human Resources"),
        ),
        no=(
            "I work in a hurry.",
            "I'm working on a bug",
            "She works in finance",
            "I mostly work in Ableton Live",
        ),
    ),
    Rule(
        kind="identity",
        key="business_{slug}",
        predicate="runs",
        statement="The user runs {object}.",
        confidence=0.8,
        pattern=clause(
            r"(?:(?:I|we) (?:own|run|manage|co-own|co-run|operate|lead|head|supervise)|<I'm>running) (?P<o>(?:an? |the |our |my )?(?:[\w'-]+ ){0,4}?(?:bakery|caf[eé]|restaurant|shop|store|bar|pub|farm|company|firm|agency|studio|business|startup|start-up|salon|practice|clinic|gallery|hotel|hostel|guesthouse|b&b|brewery|vineyard|winery|school|kindergarten|nursery|garage|workshop|bookshop|bookstore|food truck|department|consultancy|charity|non-?profit|team(?: of [\w-]+)?)(?: (?:in|near|called|of|for|at) [^\n,.;!?()]{2,40})?)(?![\w-])"
        ),
        yes=(("I run a small bakery in Ghent.", "a small bakery in Ghent"),),
        no=("I own a car.", "He runs a bakery.", "I run every day"),
    ),
    Rule(
        kind="identity",
        key="teaches_{slug}",
        predicate="teaches",
        statement="The user teaches {object}.",
        confidence=0.8,
        pattern=clause(
            r"(?:(?:I|we) teach|<I'm>(?:currently )?(?:teaching|a teacher of)|I've (?:taught|been teaching)) (?P<o>(?:[\w'-]+ ){0,2}?(?:classes|yoga|maths?|physics|chemistry|history|english|biology|piano|music|kindergarten|primary school|high school|art|french|german|spanish|latin|geography|economics|pilates|drama|dance|swimming|guitar|violin|year \d+(?: (?:maths?|physics|chemistry|history|english|biology|science|art|music|french|spanish))?|(?:first|second|third|fourth|fifth|sixth) grade)(?: (?:in|near|at|to) [^\n,.;!?()]{2,40})?)(?![\w-])"
        ),
        yes=(("I teach maths", "maths"),),
        no=("I teach them a lesson.", "She teaches yoga", "Should I teach maths?"),
    ),
)

STUDIES = (
    Rule(
        kind="identity",
        key="university",
        predicate="studies_at",
        statement="The user studies at {object}.",
        shape="organisation",
        pattern=clause(
            r"(?:<I>(?:study|go to (?:college|school|university|uni)|attend(?! [^\n,.;]{0,40}\b(?:service|mass|church|meetings?|conferences?|workshops?|events?|concerts?|talks?|meetups?)\b)|am enrolled|go) (?:[\w' ]{2,40}? )?(?:at|to (?=(?-i:[A-Z])[^\n]{0,30}(?:University|College|School|High|Academy|Prep|Institute)))"
            r"|<I'm>(?:now )?(?:studying|doing (?:my|an?) (?![\w' ]{0,20}(?:internship|apprenticeship|placement|residency|traineeship|fellowship))[\w' ]{2,40}|enrolled|an? (?:[\w'-]+ ){0,4}student|in my \w+ year(?: of (?:an? )?[\w' ]{2,40})?|a (?:freshman|sophomore|junior|senior|fresher)|a \w+[- ]year)(?: [\w' ]{2,40}?)? at|I (?:started|began)(?: [\w' ]{2,30})? at (?=[^\n]{0,30}(?:University|College|Uni\b))) (?:the )?<Org>"
        ),
        yes=(
            ("I study physics at ETH Zürich.", "ETH Zürich"),
            ("I'm a PhD student at MIT", "MIT"),
            (
                "I'm in my third year of a chemistry degree at Uppsala University",
                "Uppsala University",
            ),
        ),
        no=("I study at night.", "She studies at MIT"),
    ),
    Rule(
        kind="identity",
        key="field_of_study",
        predicate="studies",
        statement="The user studies {object}.",
        pattern=clause(
            r"(?:<I'm>(?:now |currently )?(?:studying|majoring in|minoring in|reading(?= \w+ at )|doing (?:an? |my )(?:degree|master'?s?|phd|bachelor'?s?|doctorate|apprenticeship|ba|ma|msc|bsc|mba)(?: degree)? (?:in|on)|enrolled in|in my \w+ year of(?: an?)?|an? (?:\w+[- ]year )?(?!graduate|grad|college|university|high school)(?=[\w' ]{3,30} (?:student|major|undergrad)\b))"
            r"|<I>(?:study|major in|am doing (?:an? |my )\w+ in)|<my>major is)\b ?(?! |for\b|at\b|with\b|the\b|how\b|and\b|to\b|hard\b|abroad|student|phd student|my\b|this\b|that\b|every|late|best|in\b|real(?:ly)?\b|very\b|super\b|so\b|non-?stop|like crazy|all (?:day|night|week)|a lot\b)"
            r"(?P<o>[^\n,.;:!?()]{2,60}?)(?: (?:degree|student|major|undergrad)\b)?(?= (?:at|in|with|for|since|and I|but|from|part-time|right|who|here|now|because|as)\b|[.,;:!?()]|$)"
        ),
        yes=(
            ("I'm studying marine biology.", "marine biology"),
            ("I study law at night", "law"),
            ("I'm in my third year of a chemistry degree at Uppsala University", "chemistry"),
        ),
        no=("I'm studying for an exam.", "I study at MIT."),
    ),
    Rule(
        kind="experience",
        key="graduated_from_{slug}",
        predicate="graduated_from",
        statement="The user graduated from {object}.",
        shape="organisation",
        confidence=0.9,
        pattern=clause(
            r"<did>(?:graduated|got my degree|earned my degree) (?:with [\w' -]{2,60}? |in [\w' ]{2,40}? )?(?:from|at) <o>"
        ),
        yes=(("I graduated from Kyoto University in 2015", "Kyoto University"),),
        no=("I graduated from that phase.",),
    ),
    Rule(
        kind="experience",
        key="degree_{slug}",
        predicate="has_degree",
        statement="The user has {object}.",
        confidence=0.85,
        pattern=clause(
            r"(?:<have>|I (?:hold|earned) )(?P<o>(?:an? |my |two )?(?:[\w'-]+ )?(?:degrees?|master'?s?(?: degree)?|phd|doctorate|bachelor'?s?(?: degree)?|mba|diploma|msc|bsc|law degree) (?:in|of|from) [^\n,.;:!?()]{2,60})"
        ),
        yes=(("I have a degree in fine arts", "a degree in fine arts"),),
        no=("I have a question about my degree.", "She has a PhD in law"),
    ),
)

RULES = (*JOB, *STUDIES)
