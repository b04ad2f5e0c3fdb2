"""What the user does: job, studies, skills, projects and the tools in use."""

from memory.mining.rules.lexicon import LANGUAGES_SPOKEN, TECHNOLOGY
from memory.mining.rules.table import Rule, said

JOB = (
    Rule(
        kind="identity",
        key="employer",
        predicate="works_at",
        statement="The user works at {object}.",
        shape="organisation",
        confidence=0.9,
        pattern=said(
            r"(?:<I>(?:work|am working|am employed) (?:part[- ]time |full[- ]time |remotely )?(?:as an? [\w -]{2,40}? )?(?:at|for) "
            r"|<I'm>(?:working|employed) (?:at|for|by) |<I'm>an? [\w -]{2,40}? at "
            r"|<I>(?:just )?(?:started|got a job|accepted a job|got hired)(?: working| a new job| my new job)? (?:at|with) "
            r"|<my>(?:new )?employer is )(?:a (?:company|startup|start-up|firm) called )?<o>"
        ),
        yes=(
            ("I work at Google.", "Google"),
            ("I work for the University of Bern as a librarian", "the University of Bern"),
            ("I'm a nurse at Charité.", "Charité"),
            ("I just started working at Acme Corp", "Acme Corp"),
            ("I work at a startup called Foo Labs and love it", "Foo Labs"),
        ),
        no=(
            "I work at home.",
            "I work at night.",
            "I don't work at Google.",
            "If I work at Google, what is the pay?",
            "She works at Google.",
            "I'm a beginner at this",
            "I started talking",
        ),
    ),
    Rule(
        kind="experience",
        key="former_employer_{slug}",
        predicate="worked_at",
        statement="The user no longer works at {object}.",
        shape="organisation",
        ended=True,
        pattern=said(
            r"(?:<I>(?:no longer work|used to work|worked|don['\u2019]t work|quit my job|stopped working"
            r"|was laid off|got laid off|was fired|left my job|retired) (?:at|for|from) "
            r"|<I>(?:left|quit|resigned from) (?=(?-i:[A-Z])))(?!for\b)<o>"
        ),
        yes=(
            ("I no longer work at Acme.", "Acme"),
            ("I quit my job at Foo Labs last month", "Foo Labs"),
            ("I used to work for Siemens", "Siemens"),
            ("I left Google in March.", "Google"),
        ),
        no=("I left home early.", "I quit smoking.", "If I quit my job at Acme, what then?"),
    ),
    Rule(
        kind="identity",
        key="occupation",
        predicate="works_as",
        statement="The user's occupation is {object}.",
        shape="occupation",
        confidence=0.85,
        pattern=said(
            r"(?:<I>(?:work|am working|worked) (?:(?:t?here|(?:at|for) [^\n,.;:!?]{2,40}?) )?as (?:an? |the )?|<I'm>working as (?:an? )?|<my>(?:job|profession|occupation) is (?:an? |being an? )?"
            r"|<I'm>(?:an? |the ))<o>"
        ),
        yes=(
            ("I work as a nurse at Charité", "nurse"),
            ("I'm a software engineer.", "software engineer"),
            ("I am a retired teacher and I paint", "retired teacher"),
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
        key="university",
        predicate="studies_at",
        statement="The user studies at {object}.",
        shape="organisation",
        pattern=said(
            r"(?:<I>(?:study|go to (?:college|school|university)) (?:[\w ]{2,30}? )?at "
            r"|<I'm>(?:studying|doing my \w+|an? (?:\w+ ){0,3}student) (?:[\w ]{2,30}? )?at )<o>"
        ),
        yes=(
            ("I study physics at ETH Zürich.", "ETH Zürich"),
            ("I'm a PhD student at MIT", "MIT"),
        ),
        no=("I study at night.",),
    ),
    Rule(
        kind="identity",
        key="field_of_study",
        predicate="studies",
        statement="The user studies {object}.",
        pattern=said(
            r"(?:<I'm>(?:studying|majoring in|doing a (?:degree|master['\u2019]?s|phd|bachelor['\u2019]?s) in)"
            r"|<I>(?:study|major in)) (?!for\b|at\b|with\b|the\b|how\b|and\b)"
            r"(?P<o>[^\n,.;:!?()]{2,60}?)(?= (?:at|in|with|for|since|and I)\b|[.,;:!?()]|$)"
        ),
        yes=(("I'm studying marine biology.", "marine biology"), ("I study law at night", "law")),
        no=("I'm studying for an exam.", "I study at MIT."),
    ),
    Rule(
        kind="experience",
        key="graduated_from_{slug}",
        predicate="graduated_from",
        statement="The user graduated from {object}.",
        shape="organisation",
        confidence=0.9,
        pattern=said(r"<I>(?:have )?graduated (?:with [\w'\u2019 -]{2,60}? )?(?:from|at) <o>"),
        yes=(("I graduated from Kyoto University in 2015", "Kyoto University"),),
        no=("I graduated from that phase.",),
    ),
)

SKILLS = (
    Rule(
        kind="skill",
        key="speaks_{slug}",
        predicate="speaks",
        statement="The user speaks {object}.",
        many=True,
        confidence=0.9,
        only=LANGUAGES_SPOKEN,
        pattern=said(
            r"(?:<I>(?:can )?(?:also )?speak (?:fluent |some |a little |a bit of |basic )?|<I'm>fluent in |<my>(?:native language|mother tongue|first language) is )<list>"
        ),
        yes=(
            ("I speak German and some French.", "German|French"),
            ("I'm fluent in Swahili", "Swahili"),
        ),
        no=("I don't speak French.", "I speak too fast.", "Can I speak German there?"),
    ),
    Rule(
        kind="skill",
        key="plays_{slug}",
        predicate="plays",
        statement="The user plays {object}.",
        many=True,
        pattern=said(
            r"<I>(?:can )?play (?!with\b|around\b|a role\b|it\b|this\b|devil)(?:the )?"
            r"(?P<o>(?:[^\n.;:!?()\"]|\.(?=\w)){1,120}?)(?= (?:in|at|with|on|every|for|since|when|as)\b|[.;:!?()\n]|$)"
        ),
        yes=(
            ("I play the cello.", "cello"),
            ("I play the cello in an amateur orchestra here", "cello"),
            ("I play chess and tennis", "chess|tennis"),
        ),
        no=("I play with my kids.", "He plays the piano."),
    ),
    Rule(
        kind="skill",
        key="skill_{slug}",
        predicate="is_skilled_in",
        statement="The user is good at {object}.",
        confidence=0.75,
        pattern=said(
            r"(?:<I'm>(?:very |pretty )?(?:good at|skilled in|experienced (?:in|with)|proficient (?:in|with)|an expert (?:in|on|at))"
            r"|<I>(?:know how to|have (?:\d+|many|several|\w+) years(?:['\u2019])? (?:of )?experience (?:in|with|of))) <o>"
        ),
        yes=(("I'm proficient in Rust.", "Rust"), ("I know how to weld", "weld")),
        no=("I don't know how to weld.", "I'm not good at maths.", "I'm good at it"),
    ),
    Rule(
        kind="skill",
        key="certified_{slug}",
        predicate="is_certified_as",
        statement="The user is a certified {object}.",
        pattern=said(r"<I'm>an? (?:certified|licensed|qualified|registered|trained) <o>"),
        yes=(("I'm a certified diving instructor.", "diving instructor"),),
        no=("I'm not a licensed pilot.",),
    ),
)

TOOLS = (
    Rule(
        kind="technical",
        key="uses_{slug}",
        predicate="uses",
        statement="The user uses {object}.",
        many=True,
        confidence=0.8,
        only=TECHNOLOGY,
        pattern=said(
            r"(?:<we>(?:use|run|code in|program in|develop in|write (?:mostly |mainly )?(?:in )?|work with|self-host) "
            r"|<I'm>(?:using|running|on|coding in) |<my>(?:main |primary )?(?:stack|tech stack|setup|editor|ide|os"
            r"|operating system|distro|shell|browser|language|database)"
            r"(?: of choice)? (?:is|includes|consists of|runs) |<my>(?:\w+ )?(?:phone|laptop|computer) runs )(?:an? |my |on )?<list>"
        ),
        yes=(
            ("I use Arch btw.", "Arch"),
            ("My stack is Django, htmx and Postgres.", "Django|htmx|Postgres"),
            ("I'm on macOS", "macOS"),
            ("My editor is Neovim", "Neovim"),
        ),
        no=(
            "I use a spoon.",
            "Should I use Django?",
            "I'm on a train.",
            "I don't use Windows.",
            "How do I use Docker?",
        ),
    ),
    Rule(
        kind="technical",
        key="owns_{slug}",
        predicate="owns",
        statement="The user owns this: {object}.",
        confidence=0.8,
        pattern=said(
            r"(?:<I've>(?:got )?|<we>(?:have|own|got|bought|drive) )(?:an? |my )(?:new |used |old )?"
            r"(?P<o>(?:[\w-]+ ){0,2}(?:(?-i:[A-Z])[\w-]* ){0,3}(?:(?-i:iPhone|iPad|iMac|[A-Z][\w-]{2,})(?: [\w-]+){0,2} (?-i:[A-Z]*)\d[\w-]*|(?-i:[A-Z])[A-Za-z-]*\d[\w-]*|laptop|desktop|pc|computer|phone|tablet|camera|printer"
            r"|monitor|server|NAS|router|MacBook(?: (?:Air|Pro))?|ThinkPad|iPad|Kindle|bike|e-bike|car|motorcycle|van|boat))\b(?! (?:problem|issue|question|error|idea|minutes?|hours?|days?|weeks?|months?|years?|people|kids|children))"
        ),
        yes=(
            ("I have a Canon EOS R6.", "Canon EOS R6"),
            ("I bought a new electric bike", "electric bike"),
        ),
        no=(
            "I have a problem.",
            "I have a 3 year plan.",
            "I have a 5 minute break",
            "I have a total of 37",
            "I got a new 4K TV",
            "I had a car",
        ),
    ),
)

PROJECTS = (
    Rule(
        kind="project",
        key="project_{slug}",
        predicate="works_on",
        statement="The user is working on {object}.",
        confidence=0.75,
        pattern=said(
            r"(?:<I'm>(?:building|developing|writing|creating|designing|renovating|restoring|launching|starting|running) "
            r"|<I'm>working on )(?P<o>(?:my|our|an?) (?:[\w'\u2019-]+ ){0,5}?(?:app|application|website|web app|book|novel|thesis|dissertation"
            r"|game|startup|company|business|podcast|blog|album|film|documentary|house|cabin|boat|course|library"
            r"|framework|tool|robot|garden|memoir|newsletter|screenplay|portfolio|platform|side project)\b"
            r"(?: (?:about|for|called|named|on) [^\n,.;:!?]{2,50})?)"
        ),
        yes=(
            ("I'm writing a novel about lighthouses.", "a novel about lighthouses"),
            ("I'm building a budgeting app", "a budgeting app"),
            ("I'm working on my master thesis", "my master thesis"),
        ),
        no=(
            "I'm working on a bug.",
            "I'm writing a function",
            "If I'm building a house, what first?",
        ),
    ),
    Rule(
        kind="project",
        key="project_{slug}",
        predicate="works_on",
        statement="The user has a project called {object}.",
        shape="organisation",
        pattern=said(
            r"<my>(?:[\w-]+ )?(?:project|app|startup|company|business|podcast|blog|band|book|novel)"
            r"(?: is (?:called|named)|['\u2019]s name is|,| called| named) (?=(?-i:[A-Z])|[\"“])<o>"
        ),
        yes=(("My startup is called Brightleaf.", "Brightleaf"),),
        no=("My project is late.",),
    ),
)

RULES = (*JOB, *SKILLS, *TOOLS, *PROJECTS)
