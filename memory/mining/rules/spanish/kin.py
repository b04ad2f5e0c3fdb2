"""What words of kinship mean in Spanish."""

from memory.mining.rules.table import Kin, kinship

KIN: Kin = {
    "esposa": kinship("married_to", "wife", only_one=True, key="spouse"),
    "mujer": kinship("married_to", "wife", only_one=True, key="spouse"),
    "esposo": kinship("married_to", "husband", only_one=True, key="spouse"),
    "marido": kinship("married_to", "husband", only_one=True, key="spouse"),
    "novia": kinship("partner_of", "girlfriend", only_one=True, key="partner"),
    "novio": kinship("partner_of", "boyfriend", only_one=True, key="partner"),
    "pareja": kinship("partner_of", "partner", only_one=True),
    "hermana": kinship("sibling_of", "sister"),
    "hermano": kinship("sibling_of", "brother"),
    "madre": kinship("child_of", "mother", only_one=True),
    "mamá": kinship("child_of", "mother", only_one=True),
    "padre": kinship("child_of", "father", only_one=True),
    "papá": kinship("child_of", "father", only_one=True),
    "hija": kinship("parent_of", "daughter"),
    "hijo": kinship("parent_of", "son"),
    "abuela": kinship("grandchild_of", "grandmother"),
    "abuelo": kinship("grandchild_of", "grandfather"),
    "amiga": kinship("friend_of", "friend"),
    "amigo": kinship("friend_of", "friend"),
    "jefa": kinship("reports_to", "boss", only_one=True),
    "jefe": kinship("reports_to", "boss", only_one=True),
    "perro": kinship("has_pet", "dog"),
    "perra": kinship("has_pet", "dog"),
    "gato": kinship("has_pet", "cat"),
    "gata": kinship("has_pet", "cat"),
}
