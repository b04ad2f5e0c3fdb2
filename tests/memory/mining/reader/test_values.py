"""Values, keys and statements."""

from memory.mining.reader import mentions
from tests.memory.mining.reader.scripted import check, read, shown

VALUES = """
# object: a value is adjusted to the whole name
I can't stand them. | them: dislikes | -
I have a birthday party for Ann in May. | birthday party for: has_event | birthday party
I'm going to The Hague. | The Hague: travels_to | The Hague
My daughter Wren Ada starts school | Wren Ada starts: parent_of | Wren Ada
My favourite restaurant is Bulrush now | Bulrush now: favourite | Bulrush
# object: words that belong to a name are kept
I live with my wife in Berlin | Berlin: lives_in | Berlin
So I live in MA, as it is | MA: lives_in | MA
People say my name is Ma | Ma: named | Ma
My wife My Linh | My Linh: married_to | My Linh
My teacher is Sister Mary | Sister Mary: acquainted_with | Sister Mary
Say my name is Son Goku | Son Goku: named | Son Goku
My name is Anna — my team is small | Anna: named | Anna
Now working on legacy COBOL code for my bank | legacy COBOL code: works_on | legacy COBOL code
# object: numbers keep their limit and their last word
My budget is 150 euros. | 150 euros: has_budget | 150 euros
J'ai quarante et un ans. | quarante et un: aged | quarante et un
Мне сорок один. | сорок один: aged | сорок один
# object: a decade is no age
I'm 30 now | 30: aged | 30
THEY TOOK ME. 31,200 | 31: aged | -
# key, value: likes and dislikes of one thing share a key
I love tea | tea: likes | preference_tea / likes tea
I hate tea | tea: dislikes | preference_tea / dislikes tea
# key, value, single_valued: the key of a possession is what the user calls it
I miss my trusty Pixel | Pixel: owns | owns_pixel / Pixel
"""
STATEMENTS = """
# statement, unsure: statements have the article of their value and are about the user
I'm going to the Alps in May. | Alps: travels_to | The user is planning a trip to the Alps (about 2027-05).
My car is the Ami 8. | Ami 8: owns | The user owns the Ami 8.
I bought the new MacBook. | MacBook: owns | The user owns a new MacBook.
We are moving to Mölndal. | Mölndal: moves_to | The user is planning to move to Mölndal.
I'm turning 35 on 3 March. | 35 on 3 March: born_on | The user's birthday is 3 March.
I drive a 2018 Honda. | 2018 Honda: owns | The user owns a 2018 Honda.
My dogs love the park. | dogs: has_pet | The user has dogs.
That rare book I own burned. | rare book: owns | The user owns a rare book.
A picnic with my girlfriend | girlfriend: partner_of | The user has a girlfriend.
Mum bought me «Dune last week | «Dune: owns | The user owns Dune.
I work at the Royal Infirmary | the Royal Infirmary: works_at | The user works at the Royal Infirmary.
I work on a play for my class. | a play for my class: works_on
  The user is working on a play for their class.
Strings for under 150 euros. | 150 euros: has_budget | “Strings for under 150 euros”
I use that with my Flask app. | Flask app: uses | The user uses their Flask app.
I'm a big fan of jazz. | a big fan of jazz: is | The user is a big fan of jazz.
I love My Fair Lady. | My Fair Lady: likes | The user likes My Fair Lady.
I wear my Clarks boots. | Clarks boots: owns | The user owns Clarks boots.
# statement, unsure: words in other languages are quoted, and only the name is kept
Ich arbeite als Hebamme | Hebamme: works_as | The user works as “Hebamme”.
Я живу в Казани | Казани: lives_in | The user lives in Казань.
我 妈王芳 今年六十 | 妈王芳: child_of | 王芳 is the user's mother.
Я развелась с Павлом | Павлом: married_to | The user is married to Павел.
J'ai vendu la Clio | la Clio: owns | The user owns “Clio”.
Das ist meine Schwester Ines | Schwester Ines: sibling_of | Ines is the user's sister.
C'est ma série favorite Dark | Dark: favourite | One of the user's favourites is “Dark”.
# statement, key, persons: people pets and favourites are described as the user calls them
my daughter Wren is 7 | Wren: parent_of | Wren is the user's daughter. / daughter_wren / Wren
It's my son Tom | Tom: parent_of | Tom is the user's son. / son_tom / Tom
mein Bruder Jan kommt | Jan: sibling_of | Jan is the user's brother. / brother_jan / Jan
mi gato Miso | Miso: has_pet | Miso is the user's cat. / cat_miso
Tom and I married | Tom: married_to | The user is married to Tom. / spouse / Tom
My favorite film is Up | Up: favourite | The user's favourite film is Up. / favourite_film
con mis hijos Telmo y Greta | Greta: parent_of | Greta is the user's child. / child_greta / Greta
# statement, unsure: relatives without a name are what they are called, but parents and clauses are quoted
Sunday with my gf | gf: partner_of | The user has a girlfriend.
my late husband played | late husband: married_to | The user has a late husband.
my brother died | brother died: sibling_of | The user has a brother died.
mi perro Perico ladra | Perico: has_pet | Perico is the user's dog.
Rex plays with my son and dog | Rex: has_pet | Rex is the user's dog.
Mein Bruder lebt in Kanada | Bruder: sibling_of | The user has a brother.
Meine Freundin kommt mit | Freundin: friend_of | The user has a friend.
Meine Mutter zieht zu uns | Mutter: child_of | “Meine Mutter zieht zu uns”
schools for my 7 yr old | 7 yr old: parent_of | “schools for my 7 yr old”
Мясо сама не ем | Мясо сама не ем: avoids | “Мясо сама не ем”
# statement, unsure: a clause without a sentence of its own is quoted, and no question
Sold us their generator. | generator: owns | “Sold us their generator”
I'm trying to come up. | to come up: works_on | “I'm trying to come up”
I have always been fascinated by history. | by history: likes | “I have always been fascinated by history”
My expenses are around 9 euros. | expenses are around 9 euros: has | “My expenses are around 9 euros”
I have to write conceptual review. | conceptual review: works_on | “I have to write conceptual review”
My mum is ill. When my dog is, I call the vet. | call the vet: habit | “When my dog is, I call the vet”
I grow roses. I want to move them. | move them: wants | “I grow roses. I want to move them”
Thanks a lot! I want to save 50,000 euros. | save 50,000 euros: wants | “I want to save 50,000 euros”
They call it “the ark”. I want to keep it. | keep it: wants | “I want to keep it”
I'm considering a PhD, can you tell me how to prepare? | considering a PhD: wants | “I'm considering a PhD”
Could you, since I'm vegan and can't eat eggs, suggest a cake? | can't eat eggs: cannot
  “since I'm vegan and can't eat eggs”
# quote: the context of a statement is part of its source
I grow roses. I want to move them. | move them: wants | I grow roses. I want to move them
"""


@check(VALUES + STATEMENTS)
def test_values_keys_and_statements(text, seen, how, fields, expected):
    assert shown(text, seen, how, fields) == expected


def test_long_sentences_are_quoted_around_the_value():
    words = f"{'so it goes on and on, ' * 20}I live in Leeds, {'and on and on, ' * 20}"
    [fact] = read(words, "Leeds,: lives_in")
    assert "I live in Leeds" in fact.quote
    assert len(fact.quote) <= 2 * mentions.MAX_QUOTE_LENGTH
    assert words[slice(*fact.span)] == fact.quote
    words = f"I teach, which I love, {'and' * 60}, and I want to retire early, {'but' * 60}."
    [fact] = read(words, "retire early: wants")
    assert fact.statement == "The user said: “and I want to retire early”"
