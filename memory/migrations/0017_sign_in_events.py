"""Events about second factors and passwords that somebody else changed."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0016_standard_names")]
    operations: ClassVar = [
        migrations.AlterField(
            "activityevent",
            "kind",
            models.CharField(
                max_length=20,
                choices=[
                    ("memory_mined", "Chat saved to memory"),
                    ("reextracted", "Facts extracted again with a model"),
                    ("mining_failed", "Chat could not be saved to memory"),
                    ("note_saved", "Note saved"),
                    ("deleted", "Moved to the trash"),
                    ("restored", "Restored from the trash"),
                    ("imported", "Chats imported"),
                    ("settings_changed", "Settings changed"),
                    ("demo", "Demo palace"),
                    ("consolidated", "Memory tidied up"),
                    ("chats_expired", "Old chats removed"),
                    ("purged", "Erased for good"),
                    ("fact_decided", "You decided about facts"),
                    ("reembedded", "Search vectors updated"),
                    ("profile_written", "Profile rewritten"),
                    ("skills_proposed", "Skills found"),
                    ("skill_decided", "You reviewed a skill"),
                    ("insights_found", "Insights found"),
                    ("insight_decided", "You dismissed or restored an insight"),
                    ("profile_changed", "You changed your profile"),
                    ("graph_edited", "You edited a person or thing"),
                    ("drawer_corrected", "You marked something as wrong"),
                    ("exported", "Memory exported"),
                    ("restored_export", "Memory restored from a file"),
                    ("palace_arranged", "You rearranged your palace"),
                    ("endpoint_changed", "Model endpoint"),
                    ("token_changed", "Token"),
                    ("sign_in_changed", "Sign-in"),
                ],
            ),
        )
    ]
