from memory.mining.rules.chinese.scripts import simplified


def test_every_character_keeps_its_place():
    written = "我對貓毛過敏，住在臺灣 Taipei 🙂"
    assert simplified(written) == "我对猫毛过敏，住在台湾 Taipei 🙂"
    assert len(simplified(written)) == len(written)
