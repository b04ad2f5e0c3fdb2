"""What words of kinship mean in French."""

from memory.mining.rules.table import Kin, kinship

KIN: Kin = {
    "femme": kinship("married_to", "wife", only_one=True, key="spouse"),
    "épouse": kinship("married_to", "wife", only_one=True, key="spouse"),
    "mari": kinship("married_to", "husband", only_one=True, key="spouse"),
    "copine": kinship("partner_of", "girlfriend", only_one=True, key="partner"),
    "copain": kinship("partner_of", "boyfriend", only_one=True, key="partner"),
    "compagne": kinship("partner_of", "partner", only_one=True, key="partner"),
    "compagnon": kinship("partner_of", "partner", only_one=True, key="partner"),
    "sœur": kinship("sibling_of", "sister"),
    "soeur": kinship("sibling_of", "sister"),
    "frère": kinship("sibling_of", "brother"),
    "mère": kinship("child_of", "mother", only_one=True),
    "père": kinship("child_of", "father", only_one=True),
    "fille": kinship("parent_of", "daughter"),
    "fils": kinship("parent_of", "son"),
    "grand-mère": kinship("grandchild_of", "grandmother"),
    "grand-père": kinship("grandchild_of", "grandfather"),
    "amie": kinship("friend_of", "friend"),
    "ami": kinship("friend_of", "friend"),
    "patronne": kinship("reports_to", "boss", only_one=True, key="boss"),
    "patron": kinship("reports_to", "boss", only_one=True, key="boss"),
    "chien": kinship("has_pet", "dog"),
    "chienne": kinship("has_pet", "dog"),
    "chat": kinship("has_pet", "cat"),
    "chatte": kinship("has_pet", "cat"),
}
