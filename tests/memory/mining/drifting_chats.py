"""Chats written to measure drift: pairs of what the user says and what the assistant answers.

`DRIFTING` holds chats with the number of exchanges before the subject changes, `STEADY` chats that
wander within one subject. Each list is split in two: the threshold was chosen on the first half of
each and tried on the second.
"""

Chat = tuple[tuple[str, str], ...]

DRIFTING: tuple[tuple[int, Chat], ...] = (
    (
        3,
        (
            (
                "My sourdough starter smells of acetone, is it dead?",
                "It is only hungry. Feed it twice a day for three days.",
            ),
            (
                "I feed it rye flour in the mornings.",
                "Rye ferments quickly, so an evening feed helps too.",
            ),
            (
                "The loaf came out flat yesterday.",
                "The dough was probably proofed too long before baking.",
            ),
            (
                "By the way, I need to renew my passport before the trip to Japan.",
                "Renewal takes about four weeks; apply online with a new photo.",
            ),
            (
                "Do I need a visa for two weeks there?",
                "For tourism most visitors can stay ninety days without a visa.",
            ),
        ),
    ),
    (
        2,
        (
            (
                "Can you explain what a Python generator is?",
                "It is a function that yields values one at a time and keeps its state.",
            ),
            (
                "And how is that different from a list comprehension?",
                "A list is built whole in memory, a generator makes items when they are asked for.",
            ),
            (
                "My daughter starts school on Monday and she is very nervous.",
                "Visit the school together beforehand and talk through the first morning.",
            ),
            (
                "She worries that nobody will play with her at break.",
                "Practise a few ways of asking to join a game.",
            ),
        ),
    ),
    (
        3,
        (
            (
                "I have knee pain when I run downhill.",
                "It may be the patella tendon; shorten your stride and strengthen your quads.",
            ),
            (
                "Should I stop running for a while?",
                "Rest for a week, cycle instead, and start again gently.",
            ),
            (
                "Which exercises are good for the quads?",
                "Step-downs, wall sits and slow squats, three times a week.",
            ),
            (
                "What would you give my father for his seventieth birthday? He loves opera.",
                "Tickets for a good seat, or a recording of his favourite production.",
            ),
        ),
    ),
    (
        4,
        (
            ("We want to repaint the kitchen.", "Which way do the windows face?"),
            ("North, so it is rather dark.", "A warm white or a pale yellow lifts a dark room."),
            ("The cupboards are oak.", "Then sage green walls would look calm beside them."),
            ("How much paint do I need for 30 square metres?", "About six litres for two coats."),
            (
                "Our accountant says we forgot to declare the rental income of 2023.",
                "You can file a corrected tax return; the earlier, the lower the penalty.",
            ),
        ),
    ),
    (
        2,
        (
            (
                "Mein Zug nach Wien fällt aus, wie komme ich am besten hin?",
                "Mit dem Fernbus oder über Passau; beides dauert etwa sieben Stunden.",
            ),
            (
                "Gilt meine Fahrkarte auch im späteren Zug?",
                "Ja, bei Ausfall ist die Zugbindung aufgehoben.",
            ),
            (
                "Welche Tomatensorten gedeihen auf einem Balkon?",
                "Kleine Buschtomaten wie Balkonstar brauchen wenig Platz und viel Sonne.",
            ),
            (
                "Wie oft muss ich sie giessen?",
                "Im Sommer täglich, am besten morgens und nur unten.",
            ),
        ),
    ),
    (
        3,
        (
            (
                "Help me write a cover letter for a nursing job.",
                "Tell me about your experience and the ward you apply for.",
            ),
            (
                "Five years in intensive care, now I apply for paediatrics.",
                "Then stress calm under pressure and your wish to work with families.",
            ),
            (
                "Should I mention my certificate in wound care?",
                "Yes, in one sentence with the year.",
            ),
            (
                "Is it true that octopuses have three hearts?",
                "Yes: two pump blood through the gills and one through the body.",
            ),
            (
                "And why is their blood blue?",
                "Because it carries oxygen with copper instead of iron.",
            ),
        ),
    ),
    (
        2,
        (
            ("我最近睡不好，半夜总是醒来。", "睡前少看手机，下午以后不要喝咖啡。"),
            ("我每天喝三杯咖啡。", "试试减到一杯，而且在中午之前喝。"),
            ("我想学吉他，应该买什么样的琴？", "初学者可以先买一把便宜的民谣吉他。"),
            ("尼龙弦和钢弦有什么区别？", "尼龙弦手感软，钢弦声音更亮。"),
        ),
    ),
    (
        3,
        (
            (
                "Our puppy chews every shoe in the house.",
                "Give her chew toys and keep the shoes out of reach.",
            ),
            (
                "She is four months old, a border collie.",
                "That breed needs a task; try puzzle feeders and short training.",
            ),
            (
                "She barks whenever the doorbell rings.",
                "Reward her for going to her mat when it rings.",
            ),
            (
                "How do I move my PostgreSQL database to a new server without downtime?",
                "Set up streaming replication and switch over when the replica has caught up.",
            ),
        ),
    ),
    (
        2,
        (
            (
                "What does the end of Anna Karenina mean?",
                "Levin finds a quiet faith while Anna's despair has no way out.",
            ),
            ("I liked Levin much more than Vronsky.", "Tolstoy put much of himself into Levin."),
            (
                "The dishwasher shows error E24, what is that?",
                "The water does not drain: look at the filter and the hose.",
            ),
        ),
    ),
    (
        3,
        (
            ("Я готовлюсь к марафону в сентябре.", "Сколько километров в неделю вы бегаете?"),
            (
                "Около сорока, самый длинный забег двадцать.",
                "Прибавляйте не больше десяти процентов в неделю.",
            ),
            ("Что есть перед длинной тренировкой?", "Кашу или банан за два часа до старта."),
            (
                "Какой подарок выбрать жене на годовщину свадьбы?",
                "Вспомните место, где вы познакомились, и поезжайте туда вдвоём.",
            ),
        ),
    ),
)

STEADY: tuple[Chat, ...] = (
    (
        ("I would like to plan a week in Portugal.", "When do you travel, and what do you like?"),
        ("In May, food and the sea.", "Then three days in Lisbon and four on the coast."),
        ("Is the train to Porto worth it?", "Yes, three hours and beautiful at the end."),
        ("Where should we eat in Lisbon?", "Try a small place in Alfama for grilled fish."),
        ("How much money should we take?", "About ninety euros a day for two, without the hotel."),
    ),
    (
        (
            "My tests fail with a deadlock in PostgreSQL.",
            "Two transactions lock the same rows in different order.",
        ),
        ("Each test opens a second connection.", "Then wrap both in the same order of updates."),
        ("How can I see who waits for whom?", "Look at pg_locks joined with pg_stat_activity."),
        ("It happens only on the build server.", "That one runs tests in parallel."),
    ),
    (
        ("I am allergic to nuts, what can I bake?", "Many cakes need none; check the chocolate."),
        ("My nephew turns six on Saturday.", "A lemon cake with bright icing is a safe choice."),
        ("He loves dinosaurs.", "Cut one out of the sponge and cover it in green icing."),
        ("Can I freeze the sponge beforehand?", "Yes, wrapped well, for up to a month."),
    ),
    (
        ("Ich suche eine neue Wohnung in Bern.", "Wie viele Zimmer und welches Budget?"),
        ("Drei Zimmer bis 2000 Franken.", "Im Länggassquartier wird das knapp."),
        ("Ich arbeite beim Inselspital.", "Dann liegt Holligen günstig und ist billiger."),
        ("Was gehört in das Bewerbungsdossier?", "Betreibungsauszug, Lohnausweis, ein Brief."),
    ),
    (
        ("How do I teach my son to ride a bicycle?", "Take the pedals off and let him push."),
        ("He is afraid of falling.", "Choose a flat lawn and lower the saddle."),
        ("Should he wear gloves?", "Gloves and a helmet make falls harmless."),
        ("He managed ten metres today!", "Wonderful. Put the pedals back on next week."),
    ),
    (
        ("My mother has been forgetting names.", "Since when, and does it trouble her?"),
        ("Since the winter, and she gets lost in town.", "A doctor should look at that soon."),
        ("She refuses to go.", "Ask her doctor for a routine check and go along."),
        ("Who can help us at home?", "The district nurse and local dementia services advise you."),
        ("I feel guilty when I lose patience.", "That is common; a carers' group may help you."),
    ),
    (
        ("我打算在院子里种菜。", "院子每天有几个小时的阳光？"),
        ("大概六个小时。", "那可以种番茄、黄瓜和生菜。"),
        ("土很硬怎么办？", "先翻土，再掺一些堆肥。"),
        ("什么时候播种最好？", "等最后一次霜冻过后再播。"),
    ),
    (
        ("I want to learn the cello at forty, is that silly?", "Not at all; many start later."),
        ("Should I rent or buy?", "Rent for a year; a good set-up matters more than the price."),
        ("How long should I practise?", "Twenty minutes each day is better than hours on Sunday."),
        ("My left hand hurts.", "Relax the thumb and take breaks; ask your teacher to look."),
    ),
    (
        ("We are starting a small bakery.", "Do you have a place and a permit?"),
        ("The place yes, the permit not yet.", "Apply at the food safety office first."),
        ("Which oven do we need?", "A deck oven for bread, a convection oven for pastry."),
        ("How do we price a loaf?", "Flour, work and rent for each loaf, then a third on top."),
        ("And if we sell to restaurants?", "Give them a fifth off and a standing order."),
    ),
    (
        ("Хочу купить подержанную машину.", "Какой у вас бюджет и для чего она нужна?"),
        ("До десяти тысяч, ездить на дачу.", "Подойдёт универсал с высоким клиренсом."),
        ("На что смотреть при осмотре?", "На ржавчину, масло и историю обслуживания."),
        ("А пробег в двести тысяч — это много?", "Для дизеля терпимо, если ухаживали."),
    ),
)
