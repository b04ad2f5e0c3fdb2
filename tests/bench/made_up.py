"""Small made-up files in the formats of the data sets, with what is odd in the real ones."""

import gzip
import json
from pathlib import Path
from typing import Any

CHATS = {
    "answer_boat": ("I bought a wooden boat named Petrel.", "A fine name."),
    "chat_1": ("How do I prune tomatoes?", "Pinch the side shoots."),
    "chat_2": ("Tell me about tax\x00 brackets \ud83d.", "They are progressive."),
}


def packed(path: Path, value: Any) -> Path:
    """The file with this value as compressed JSON."""
    path.write_bytes(gzip.compress(json.dumps(value).encode(), mtime=0))
    return path


def longmemeval() -> list[dict[str, Any]]:
    """Two questions that can be answered and one that cannot, in the original format."""
    return [
        _memeval("q1", "What is the name of the wooden boat I bought?", "answer_boat"),
        _memeval("q2", "How did I ask about pruning my tomatoes?", "chat_1"),
        _memeval("q3_abs", "What is the name of my car?", "chat_2"),
    ]


def _memeval(name: str, words: str, gold: str) -> dict[str, Any]:
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": words,
        "answer": 1,
        "question_date": "2023/05/01 (Mon) 10:00",
        "haystack_dates": ["2023/04/10 (Mon) 23:07"] * 3,
        "haystack_session_ids": list(CHATS),
        "haystack_sessions": [
            [
                {"role": "user", "content": asked, "has_answer": key == gold},
                {"role": "assistant", "content": told},
            ]
            for key, (asked, told) in CHATS.items()
        ],
        "answer_session_ids": [gold],
    }


def pool() -> dict[str, Any]:
    """A shared pool with the three haystacks of each question."""
    return {
        "sessions": {
            key: [{"role": "user", "content": asked}, {"role": "assistant", "content": told}]
            for key, (asked, told) in CHATS.items()
        },
        "text500": {"chat_1": "How do I prune tomatoes?", "chat_2": "Tell me about tax."},
        "date500": {"chat_2": "2023/04/12 (Wed) 09:00"},
        "questions": [
            {
                "question_id": "q1",
                "question_type": "multi-session",
                "question": "What is my boat called?",
                "answer": "Petrel",
                "question_date": "2023/05/01 (Mon) 10:00",
                "answer_session_ids": ["answer_boat"],
                "evidence_turns": [["answer_boat", 0]],
                "haystack": [[key, "2023/04/10 (Mon) 23:07"] for key in CHATS],
                "haystack_real": [
                    ["answer_boat", "2023/04/10 (Mon) 23:07"],
                    ["chat_1", "2023/04/11 (Tue) 08:00"],
                ],
                "haystack_m500_extra": ["chat_2"],
                "evidence500": {"answer_boat": "a wooden boat named Petrel"},
            }
        ],
    }


def shared_haystack() -> list[dict[str, Any]]:
    """Several questions in parallel lists about one haystack."""
    entry = _memeval("q1", "", "answer_boat")
    for name in ("question", "answer"):
        del entry[name]
    entry["questions"] = ["What is my boat called?", "What did I ask about tomatoes?"]
    entry["answers"] = ["Petrel", 2]
    entry["answer_session_ids"] = [["answer_boat"], ["chat_1"]]
    return [entry]


def locomo() -> list[dict[str, Any]]:
    """A friendship of two sittings, with evidence ids as people wrote them down."""
    return [
        {
            "sample_id": "conv-1",
            "conversation": {
                "speaker_a": "Ruth",
                "speaker_b": "Samir",
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": [
                    _said("Ruth", "D1:1", "I adopted a greyhound called Comet!"),
                    _said("Samir", "D1:2", "Lovely. I took up pottery this week.")
                    | {
                        "img_url": ["x"],
                        "blip_caption": "a photo of a blue bowl",
                    },
                ],
                "session_2_date_time": "9:05 am on 20 June, 2023",
                "session_2": [_said("Samir", "D2:1", "My sister Nour moved to Oslo.")],
                "session_3_date_time": "9:05 am on 21 June, 2023",
            },
            "observation": {"session_1_observation": "NEVER SHOWN"},
            "session_summary": {"session_1_summary": "NEVER SHOWN"},
            "qa": [
                _qa("What is Ruth's greyhound called?", "Comet", ["D1:1"], 4),
                _qa("What did Samir make and where is Nour?", "both", ["D1:2; D2:01"], 1),
                _qa("Where does Nour live?", "Oslo", ["D9:9", "D:2:1"], 2),
                _qa("Is Ruth fond of dogs?", "Likely", [], 3),
                {
                    "question": "What is Samir's greyhound called?",
                    "adversarial_answer": "Comet",
                    "evidence": ["D1:1"],
                    "category": 5,
                },
            ],
        }
    ]


def _said(speaker: str, name: str, words: str) -> dict[str, Any]:
    return {"speaker": speaker, "dia_id": name, "text": words}


def _qa(words: str, answer: str, evidence: list[str], category: int) -> dict[str, Any]:
    return {"question": words, "answer": answer, "evidence": evidence, "category": category}


def realtalk() -> dict[str, Any]:
    """One chat in the format of REALTALK."""
    stamps = ("06.01.2024, 16:43:00", "06.01.2024, 16:48:00")
    return {
        "name": {"speaker_1": "Kevin", "speaker_2": "Paola"},
        "session_1": [
            {"clean_text": words, "speaker": who, "date_time": stamp, "dia_id": name}
            for words, who, stamp, name in (
                ("Hello!", "Kevin", stamps[0], "D1:1"),
                ("I play tennis.", "Paola", stamps[1], "D1:2"),
            )
        ],
        "events_session_1": {"agent_a": []},
        "qa": [_qa("What does Paola play?", "Tennis", ["D1:2"], 1)],
    }


def beam() -> list[dict[str, Any]]:
    """A conversation of two sittings; marks trail behind what the user said."""
    return [
        {
            "id": "beam-1",
            "chat": [
                {
                    "batch_number": 1,
                    "turns": [
                        [
                            _message("user", 0, "My first sprint ends on March 29. ->-> 1,1")
                            | {"time_anchor": "March-15-2024"},
                            _message("assistant", 1, "Noted."),
                        ],
                        [_message("user", 2, "Arrows ->-> stay inside.\nSee? ->-> 1,2)")],
                    ],
                },
                {
                    "batch_number": 2,
                    "turns": [[_message("user", 3, "The sprint now ends on April 2. ->-> 2,N/A")]],
                },
            ],
            "probing_questions": {
                "information_extraction": [
                    {"question": "When does my first sprint end?", "source_chat_ids": [0, 99]}
                    | {"answer": "March 29", "rubric": ["states March 29"]}
                ],
                "knowledge_update": [
                    {
                        "question": "When does the sprint end now?",
                        "source_chat_ids": {"original_info": [0], "updated_info": [[3]]},
                        "ideal_answer": "April 2",
                    }
                ],
                "abstention": [{"question": "Who is my boss?", "ideal_response": "unknown"}],
            },
        }
    ]


def beam_table() -> dict[str, Any]:
    """The same conversation as a row of the published table."""
    (entry,) = beam()
    return {
        "conversation_id": "1",
        "chat": [[message for turn in part["turns"] for message in turn] for part in entry["chat"]],
        "probing_questions": repr(entry["probing_questions"]),
    }


def _message(role: str, number: int, content: str) -> dict[str, Any]:
    return {"role": role, "id": number, "content": content}


def realmem() -> dict[str, Any]:
    """A persona of three chats; the same words are said again after the question."""
    return {
        "_metadata": {"person_name": "Ana"},
        "dialogues": [
            _dialogue("aaaa1111", "2025-12-15 (Monday)", "The budget of my film is 900 euros."),
            _dialogue(
                "bbbb2222",
                "2025-12-15 (Monday)",
                "Good morning.",
                asks="What is the budget of my film?",
                gold=["aaaa1111", "bbbb2222"],
            ),
            _dialogue("cccc3333", "2025-12-20 (Saturday)", "The budget of my film is now 800."),
        ],
    }


def _dialogue(
    uuid: str, day: str, words: str, asks: str = "", gold: list[str] | None = None
) -> dict[str, Any]:
    turns = [_spoken("User", words), _spoken("Assistant", "I see.")]
    if asks:
        query = {"is_query": True, "query_id": "Q-1", "category_name": "Dynamic Updating"}
        turns += [
            _spoken("User", asks) | query | {"session_type": "single_session"},
            _spoken("Assistant", "900 euros.") | {"memory_session_uuids": gold},
        ]
    return {"session_uuid": uuid, "current_time": day, "dialogue_turns": turns}


def _spoken(speaker: str, words: str) -> dict[str, Any]:
    return {"speaker": speaker, "content": words, "is_query": False, "query_id": None}


def memdaily() -> list[dict[str, Any]]:
    """Two trajectories, the second with evidence that it does not hold."""
    return [
        _trajectory("simple-events-0", "金融论坛的规模是多少？", [1]),
        _trajectory("simple-events-1", "我的手机是什么？", [7]),
    ]


def _trajectory(name: str, words: str, steps: list[int]) -> dict[str, Any]:
    return {
        "id": name,
        "type": "simple",
        "message_list": [
            {"mid": 0, "message": "我喜欢喝茉莉花茶。", "time": "2024年04月01日 周一 08:30"},
            {"mid": 1, "message": "金融论坛的规模是三千人。", "time": "2024年04月01日 周一 20:58"},
        ],
        "QA": {
            "qid": 0,
            "question": words,
            "answer": "三千人",
            "target_step_id": steps,
            "time": "2024年04月04日",
        },
    }
