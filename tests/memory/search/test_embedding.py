from uuid import UUID

from llm.fake_gateway import FakeEmbedder
from memory.search.embedding import CHUNK_LIMIT, DrawerText, embed_drawers


def rows(texts):
    fake = FakeEmbedder()
    embedded = embed_drawers(fake, [DrawerText(UUID(int=n), text) for n, text in enumerate(texts)])
    return fake, embedded


def test_each_chunk_names_its_place_in_the_words():
    text = "The heron waits by the lighthouse. " * 60
    _, embedded = rows([text])
    assert len(embedded.rows) > 1
    covered = "".join(text[row.start : row.start + row.length] for row in embedded.rows)
    assert covered == text
    assert all(abs(float(row.vector @ row.vector) - 1) < 1e-3 for row in embedded.rows)


def test_equal_texts_are_embedded_once_and_blank_ones_never():
    fake, embedded = rows(["Hm.", "Hm.", "Oh."])
    assert fake.embedded == ["Hm.", "Oh."]
    assert [row.drawer_id.int for row in embedded.rows] == [0, 1, 2]
    for texts in ([], [""], [" \n"]):
        fake, embedded = rows(texts)
        assert (fake.embedded, embedded.rows) == ([], ())


def test_a_very_long_text_is_covered_at_both_ends():
    text = "".join(f"Sentence number {n} ends here. " for n in range(40_000))
    _, embedded = rows([text])
    assert len(embedded.rows) == CHUNK_LIMIT
    assert embedded.rows[0].start == 0
    assert embedded.rows[-1].start + embedded.rows[-1].length == len(text)
