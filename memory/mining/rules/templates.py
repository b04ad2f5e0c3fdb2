"""What a statement is filed as, whatever the language it was made in."""

from dataclasses import dataclass

from memory.mining.rules.table import Examples, Rule, Shape, Wording, said


@dataclass(frozen=True, slots=True)
class Template:
    """Everything of a rule but its words."""

    kind: str
    key: str
    predicate: str
    statement: str
    shape: Shape = "phrase"
    value: str = "{object}"
    many: bool = False
    confidence: float = 0.8
    ended: bool = False

    def rule(self, words: str, yes: Examples, no: tuple[str, ...]) -> Rule:
        """The rule that looks for `words` anywhere in a sentence."""
        return self.worded(said(words), yes, no)

    def worded(self, wording: Wording, yes: Examples, no: tuple[str, ...]) -> Rule:
        """The rule for a wording of the caller's own making."""
        return Rule(
            kind=self.kind,
            key=self.key,
            predicate=self.predicate,
            statement=self.statement,
            pattern=wording,
            yes=yes,
            no=no,
            shape=self.shape,
            value=self.value,
            many=self.many,
            confidence=self.confidence,
            ended=self.ended,
        )


NAME = Template("identity", "name", "named", "The user's name is {object}.", "name", confidence=0.9)
BIRTH_YEAR = Template("identity", "birth_year", "born_in_year", "The user was born in {object}.", "as_is")
TRAIT = Template("identity", "trait_{slug}", "is", "The user is {object}.")
SURNAME = Template("identity", "surname", "surname", "The user's surname is {object}.", "name")
NICKNAME = Template("identity", "nickname", "nickname", "The user likes to be called {object}.", "name")
BIRTHDAY = Template(
    "identity", "birthday", "born_on", "The user's birthday is {object}.", "as_is", confidence=0.9
)
HOME = Template(
    "identity",
    "home_city",
    "lives_in",
    "The user lives in {object}.",
    "place",
    confidence=0.9,
)
ORIGIN = Template(
    "identity", "hometown", "comes_from", "The user comes from {object}.", "place", confidence=0.85
)
AGE = Template("identity", "age", "aged", "The user is {object} years old.", "as_is", confidence=0.9)
MARITAL = Template("identity", "marital_status", "has_marital_status", "The user is {object}.")
ALLERGY = Template(
    "identity",
    "allergy_{slug}",
    "allergic_to",
    "The user is allergic to {object}.",
    many=True,
    confidence=0.9,
)
EMPLOYER = Template(
    "identity",
    "employer",
    "works_at",
    "The user works at {object}.",
    "organisation",
    confidence=0.9,
)
WORKPLACE = Template("identity", "works_in_{slug}", "works_in", "The user works in {object}.")
OCCUPATION = Template(
    "identity", "occupation", "works_as", "The user's occupation is {object}.", confidence=0.85
)
STUDIES = Template("identity", "field_of_study", "studies", "The user studies {object}.")
UNIVERSITY = Template("identity", "university", "studies_at", "The user studies at {object}.", "as_is")
GRADUATED = Template(
    "experience",
    "graduated_from_{slug}",
    "graduated_from",
    "The user graduated from {object}.",
    "as_is",
)
DEGREE = Template("experience", "degree_{slug}", "has_degree", "The user studied {object}.")
LIKES = Template(
    "preference",
    "preference_{slug}",
    "likes",
    "The user likes {object}.",
    value="likes {object}",
    many=True,
)
DISLIKES = Template(
    "preference",
    "preference_{slug}",
    "dislikes",
    "The user dislikes {object}.",
    value="dislikes {object}",
    many=True,
)
PREFERS = Template(
    "preference",
    "preference_{slug}",
    "prefers",
    "The user prefers {object}.",
    value="prefers {object}",
)
FAVOURITE = Template("preference", "favourite_{r}", "favourite_{r}", "The user's favourite {r} is {object}.")
RELATION = Template("relationship", "", "", "{object} is the user's {label}.", "name", confidence=0.9)
FAMILY = Template("relationship", "has_{slug}", "has_family", "The user has {object}.")
CHILD = Template(
    "relationship", "child_{slug}", "parent_of", "{object} is the user's child.", "names", many=True
)
SPOUSE = Template(
    "relationship",
    "spouse",
    "married_to",
    "The user is married to {object}.",
    "name",
    confidence=0.9,
)
WORKED = Template(
    "experience",
    "former_employer_{slug}",
    "worked_at",
    "The user no longer works at {object}.",
    "organisation",
    ended=True,
)
LIVED = Template(
    "experience",
    "lived_in_{slug}",
    "lived_in",
    "The user used to live in {object}.",
    "place",
    ended=True,
)
WAS = Template("experience", "was_{slug}", "was", "The user used to be {object}.")
SPEAKS = Template("skill", "speaks_{slug}", "speaks", "The user speaks {object}.", many=True)
PLAYS = Template("skill", "plays_{slug}", "plays", "The user plays {object}.", many=True)
CAN = Template("skill", "can_{slug}", "can", "The user can {object}.")
LEARNING = Template("goal", "learning_{slug}", "is_learning", "The user is learning {object}.", many=True)
GOAL = Template("goal", "goal_{slug}", "wants", "The user wants this: {object}.", confidence=0.75)
PROJECT = Template(
    "project", "project_{slug}", "works_on", "The user is working on {object}.", confidence=0.75
)
CANNOT = Template("constraint", "cannot_{slug}", "cannot", "The user cannot {object}.")
DIET = Template("constraint", "diet", "follows_diet", "The user's diet is {object}.")
AVOIDS = Template(
    "constraint",
    "avoids_{slug}",
    "avoids",
    "The user avoids {object}.",
    value="avoids {object}",
    many=True,
)
CONDITION = Template(
    "constraint",
    "condition_{slug}",
    "has_condition",
    "The user has this condition: {object}.",
    confidence=0.85,
)
BUDGET = Template("constraint", "budget", "has_budget", "The user's budget is {object}.", "as_is")
LIMIT = Template("constraint", "constraint_{slug}", "is_limited_by", "The user said: “{said}”.", "as_is")
TRAVELS = Template("event", "travels_to_{slug}", "travels_to", "The user travels to {object}.", "place")
EVENT = Template("event", "event_{slug}", "has_event", "On the user's calendar: {object}.")
HABIT = Template(
    "behaviour",
    "habit_{slug}",
    "habit",
    "The user does this regularly: {object}.",
    "clause",
    confidence=0.7,
)
USES = Template("technical", "uses_{slug}", "uses", "The user uses {object}.", many=True)
DEVICE = Template("technical", "{r}", "has_{r}", "The user's {r} is {object}.", "as_is", confidence=0.8)
REMEMBER = Template(
    "other",
    "remember_{slug}",
    "asked_to_remember",
    "The user asked to remember: “{said}”.",
    "clause",
    value="{said}",
    confidence=0.85,
)
INSTRUCTION = Template(
    "instruction",
    "instruction_{slug}",
    "instructs",
    "The user asked the assistant: “{said}”.",
    "clause",
    value="{said}",
)
