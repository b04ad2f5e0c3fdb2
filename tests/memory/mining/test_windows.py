from hypothesis import given
from hypothesis import strategies as st

from memory.mining.transcripts import Turn
from memory.mining.windows import memory_blocks, minable, windows, without_memory
from tests.memory.mining.chats import turn

ROLES = st.lists(st.sampled_from(["user", "assistant", "tool", "system"]), max_size=60)


def sizes(found: tuple[tuple[Turn, ...], ...]) -> list[int]:
    return [len(window) for window in found]


def test_nothing_to_mine_gives_no_window():
    assert windows([]) == ()


def test_windows_hold_eight_to_ten_turns():
    turns = [turn("hello", sequence=n) for n in range(1, 27)]
    assert sizes(windows(turns)) == [8, 8, 10]
    assert sizes(windows(turns[:10])) == [10]
    assert sizes(windows(turns[:11])) == [8, 3]
    assert sizes(windows(turns[:3])) == [3]


def test_turns_are_taken_in_the_order_they_were_said():
    turns = [turn("hello", sequence=n) for n in (3, 1, 2)]
    assert [t.sequence for t in windows(turns)[0]] == [1, 2, 3]


def test_system_turns_do_not_count_but_are_covered():
    turns = [turn("be kind", "system", 1), *(turn("hello", sequence=n) for n in range(2, 11))]
    [window] = windows([*turns, turn("be brief", "system", 11)])
    assert window[-1].sequence == 11


@given(ROLES)
def test_every_turn_is_in_exactly_one_window(roles):
    turns = [turn("hello", role, n) for n, role in enumerate(roles, 1)]
    assert [t for window in windows(turns) for t in window] == turns


@given(ROLES, st.integers(0, 60))
def test_later_turns_only_ever_change_the_last_window(roles, seen):
    turns = [turn("hello", role, n) for n, role in enumerate(roles, 1)]
    earlier, later = windows(turns[:seen]), windows(turns)
    assert later[: max(len(earlier) - 1, 0)] == earlier[:-1]


@given(ROLES, st.integers(0, 8))
def test_going_on_after_a_stored_boundary_cuts_as_one_clean_run_does(roles, done):
    turns = [turn("hello", role, n) for n, role in enumerate(roles, 1)]
    clean = windows(turns)
    pointer = clean[min(done, len(clean)) - 1][-1].sequence if clean and done else 0
    resumed = windows([t for t in turns if t.sequence > pointer])
    assert resumed == clean[min(done, len(clean)) :]


def test_system_turns_and_empty_turns_are_not_mined():
    assert minable(turn("be kind", "system")) is None
    assert minable(turn("  \n")) is None


def test_an_injected_memory_block_is_taken_out():
    said = turn("Hi <memory_context date='x'>I live in Rome</memory_context>there")
    kept = minable(said)
    assert kept is not None
    assert kept.content == "Hi there"
    assert minable(turn("<memory_context>I live in Rome</memory_context>")) is None


def test_a_turn_without_a_block_stays_the_same_object():
    said = turn("I wrote about <memory_context> yesterday")
    assert minable(said) is said


@given(st.lists(st.sampled_from(["<memory_context>", "</memory_context>", "a", "<MEMORY_CONTEXT x>"])))
def test_blanking_blocks_keeps_every_offset(parts):
    text = "".join(parts)
    blank = without_memory(text)
    assert len(blank) == len(text)
    covered = {n for start, end in memory_blocks(text) for n in range(start, end)}
    assert all(blank[n] == text[n] for n in range(len(text)) if n not in covered)
