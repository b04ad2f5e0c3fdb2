"""Plan each search by words for its own words: a plan for any words reads the words of every user."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0021_endings_of_several_values")]
    operations: ClassVar = [
        migrations.RunSQL(
            f"ALTER FUNCTION {function} SET plan_cache_mode = force_custom_plan", migrations.RunSQL.noop
        )
        for function in ("memory_match_words", "memory_match_words_within")
    ]
