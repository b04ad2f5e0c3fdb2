import pytest

from memory.text.russian import dictionary_forms, nominative

PHRASES = """
Я работаю в | Сбере | Сбер
уволился из | детской больницы | детская больница
уволили из | пекарни | пекарня
живу в | Ростове-на-Дону | Ростов-на-Дону
живём в | Великих Луках | Великие Луки
живу в | Сочи | Сочи
расстались с | лёшей | лёша
в браке с | Ольгой Петровной | Ольга Петровна
зовут | Костей | Костя
работаю | учителем математики | учитель математики
работаю | старшим бухгалтером | старший бухгалтер
завели | рыжего кота Мурзика | рыжий кот Мурзик
учусь в | МГУ | МГУ
работаю в | Toyota | Toyota
живу у | Києві | Києві
люблю | по утрам и никогда не спеша гулять | по утрам и никогда не спеша гулять
"""
PLACES = """
живу в | Вене | Вена
были в | Риме | Рим
летим в | Милан | Милан
родом из | Перми | Пермь
Я | из Перми | из Перми
"""
NAMES = "Дина Мира Ника Яна Жучка Александра Евгения Валерия Влада Любовь Саша Никита Костя горы суши яйца"


def test_noun_phrases_are_put_in_the_nominative_and_places_not_taken_for_people():
    for lines, is_place in ((PHRASES, False), (PLACES, True)):
        for before, phrase, expected in (line.split(" | ") for line in lines.strip().splitlines()):
            assert nominative(phrase, before, is_place=is_place) == expected
    for phrase in ("", "бариста"):
        assert nominative(phrase, "") == phrase


def test_what_may_be_a_nominative_stays_as_it_is():
    assert [nominative(name, "Моя жена") for name in NAMES.split()] == NAMES.split()


@pytest.mark.parametrize("word", ["недо" * 6, "небез" * 5, "не" * 1_000, "а-" * 500 + "а", "я" * 20_000])
def test_long_words_with_many_prefixes_are_left_alone(word):
    assert nominative(word, "в") in (word, word[:1].upper() + word[1:])
    assert isinstance(dictionary_forms(word), frozenset)


def test_forms_of_a_word_share_a_dictionary_word():
    assert "казань" in dictionary_forms("казани") & dictionary_forms("казанью")
    assert not dictionary_forms("leeds")
