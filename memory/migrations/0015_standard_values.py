"""Stored values, signals in traces and the table of negative feedback have the names used elsewhere."""

from typing import ClassVar

from django.db import migrations, models
from django.db.models import Q

VALUES = (
    ("memory_activityevent", "kind", "read_again", "reextracted"),
    ("memory_activityevent", "kind", "drawer_disputed", "drawer_corrected"),
    ("memory_minedwindow", "reason", "away", "unavailable"),
    ("memory_minedwindow", "reason", "taken_back", "undone"),
    ("memory_changeset", "kind", "rekinded", "retyped"),
)
SIGNALS = (
    ("misfit", "negative_feedback"),
    ("unfitting", "negative_feedback"),
    ("little", "uninformative"),
    ("likeness", "scaled_cosine"),
    ("way", "skill"),
)


def _rename_value(table: str, column: str, before: str, after: str) -> str:
    return f"UPDATE {table} SET {column} = '{after}' WHERE {column} = '{before}'"


def _rename_signal(before: str, after: str) -> str:
    trace, hits = (
        f"replace({each}::text, '\"{before}\":', '\"{after}\":')::jsonb" for each in ("trace", "hits")
    )
    found = f"position('\"{before}\":' IN trace::text || hits::text) > 0"
    return f"UPDATE memory_recalltrace SET trace = {trace}, hits = {hits} WHERE {found}"


FORWARDS = [
    *(_rename_value(*each) for each in VALUES),
    *(_rename_signal(*each) for each in SIGNALS),
]
BACKWARDS = [_rename_value(table, column, after, before) for table, column, before, after in VALUES]


class Migration(migrations.Migration):
    dependencies: ClassVar = [("memory", "0014_built_in_reader")]
    operations: ClassVar = [
        migrations.RenameModel("Misfit", "NegativeFeedback"),
        migrations.RemoveConstraint("negativefeedback", "misfit_once"),
        migrations.AddConstraint(
            "negativefeedback",
            models.UniqueConstraint(fields=("user", "trace_id", "drawer_id"), name="negative_feedback_once"),
        ),
        migrations.RenameIndex("negativefeedback", "negative_feedback_by_drawer", "misfit_by_drawer"),
        migrations.RemoveIndex("minedwindow", "window_to_read_again"),
        migrations.RunSQL(FORWARDS, BACKWARDS),
        migrations.AddIndex(
            "minedwindow",
            models.Index(
                condition=Q(method="reader")
                & (Q(requested_at__isnull=False) | Q(reason__in=("unavailable", "budget"))),
                fields=["user"],
                name="window_to_reextract",
            ),
        ),
        migrations.AlterField(
            model_name="activityevent",
            name="kind",
            field=models.CharField(
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
                ],
                max_length=20,
            ),
        ),
        migrations.AlterField(
            model_name="changeset",
            name="kind",
            field=models.CharField(
                choices=[
                    ("renamed", "Renamed"),
                    ("retyped", "Kind changed"),
                    ("merged", "Merged"),
                    ("moved", "Moved"),
                    ("annotated", "Remark changed"),
                    ("pinned", "Pinned"),
                    ("unpinned", "Unpinned"),
                    ("hidden", "Marked as sensitive"),
                    ("shown", "No longer sensitive"),
                    ("detailed", "Detail changed"),
                    ("named", "Another name"),
                    ("unnamed", "Name removed"),
                    ("split", "Split"),
                    ("decided", "Decision about facts"),
                    ("edited", "Edited"),
                    ("closed", "Replaced facts closed"),
                    ("archived", "Facts archived"),
                    ("summarised", "Summaries written"),
                    ("removed", "Empty places removed"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterField(
            model_name="minedwindow",
            name="reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("no_endpoint", "No model was set up"),
                    ("unavailable", "The model could not be reached"),
                    ("budget", "The budget was spent"),
                    ("declined", "The model declined"),
                    ("unreadable", "The model's answer could not be read"),
                    ("undone", "Its re-extraction was undone"),
                    ("gave_up", "Its re-extraction failed too often"),
                    ("nothing", "There is nothing to read"),
                ],
                max_length=12,
            ),
        ),
    ]
