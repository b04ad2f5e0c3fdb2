"""The palace: places, drawers, facts, the graph and everything made from them."""

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.operations import BtreeGinExtension
from django.contrib.postgres.search import SearchVectorField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import migrations, models
from django.db.models import CASCADE, PROTECT, CheckConstraint, F, Index, Q, UniqueConstraint
from django.utils.timezone import now
from pgvector.django import HalfVectorField, VectorExtension

from accounts.schema import key, operational, owned, reference, run_script, user

FUNCTIONS = (
    "memory_drawer_is_verbatim",
    "memory_match_words",
    "memory_match_words_within",
    "memory_recount",
    "memory_drawers_came_or_went",
    "memory_drawers_moved",
    "memory_places_moved",
    "memory_closets_moved",
    "memory_analyse_changed",
    "memory_forget_samples",
)


def between(lowest: float, highest: float) -> list[MinValueValidator | MaxValueValidator]:
    return [MinValueValidator(lowest), MaxValueValidator(highest)]


REPLACED = """
0002_protection 0003_search 0004_browsing 0005_smaller_keys 0006_second_readings 0007_projections
0008_usage_by_day 0009_consolidation 0010_relation_sources 0011_skills 0012_retention 0013_facts
0014_triggers 0015_insights 0016_graph_edits 0017_summaries 0018_words_at_once 0019_recipes
0020_answering 0021_source_since 0022_decided_relations 0023_recalled_facts 0024_statistics
0025_sentences 0026_misfits 0027_exports_in_activity 0028_arranging 0029_forgetting
0030_relations_lately 0031_kept_away 0032_search_within
"""


class Migration(migrations.Migration):
    initial = True
    replaces: ClassVar = [("memory", name) for name in REPLACED.split()]
    dependencies: ClassVar = [("accounts", "0001_initial")]

    operations: ClassVar = [
        VectorExtension(),
        BtreeGinExtension(),
        migrations.CreateModel(
            name="ActivityEvent",
            fields=[
                *owned(),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("memory_mined", "Chat saved to memory"),
                            ("read_again", "Facts extracted again with a model"),
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
                            ("drawer_disputed", "You marked something as wrong"),
                            ("exported", "Memory exported"),
                            ("restored_export", "Memory restored from a file"),
                            ("palace_arranged", "You rearranged your palace"),
                        ],
                        max_length=20,
                    ),
                ),
                ("subject_id", models.UUIDField(null=True)),
                ("details", models.JSONField(default=dict)),
                ("undone_at", models.DateTimeField(null=True)),
                ("at", models.DateTimeField(default=now)),
            ],
            options={
                "indexes": [
                    Index(fields=["user", "-at"], name="activity_by_time"),
                    Index(fields=["user", "subject_id"], name="activity_by_subject"),
                ]
            },
        ),
        migrations.CreateModel(
            name="RecallTrace",
            fields=[
                *owned(),
                ("trace", models.JSONField()),
                ("hits", models.JSONField(default=list)),
                ("at", models.DateTimeField(default=now)),
                ("facts_counted", models.BooleanField(default=False)),
            ],
            options={
                "indexes": [
                    Index(fields=["user", "-at"], name="trace_by_time"),
                    Index(condition=Q(("facts_counted", False)), fields=["user"], name="trace_to_count"),
                ]
            },
        ),
        migrations.CreateModel(
            name="Usage",
            fields=[
                *operational(),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("memory_embed", "Embedding"),
                            ("memory_extract", "Extraction"),
                            ("memory_rerank", "Reranking"),
                            ("memory_rewrite", "Rewriting questions"),
                            ("memory_summary", "Summaries"),
                            ("memory_qa", "Questions and answers"),
                            ("chat", "Chat"),
                        ],
                        max_length=20,
                    ),
                ),
                ("model", models.CharField(max_length=120)),
                ("calls", models.PositiveIntegerField(default=1)),
                ("input_tokens", models.PositiveBigIntegerField(default=0)),
                ("output_tokens", models.PositiveBigIntegerField(default=0)),
                ("cost_usd", models.DecimalField(decimal_places=10, max_digits=18, null=True)),
                ("latency_ms", models.PositiveBigIntegerField(default=0)),
                ("estimated", models.BooleanField(default=False)),
                ("day", models.DateField(null=True)),
                ("job_id", models.UUIDField(null=True)),
                ("at", models.DateTimeField(default=now)),
            ],
            options={
                "verbose_name_plural": "usage",
                "indexes": [Index(fields=["user", "-at"], name="usage_by_time")],
                "constraints": [
                    UniqueConstraint(fields=("user", "source", "model", "day"), name="free_usage_once_a_day")
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedSearch",
            fields=[
                *owned(),
                ("name", models.CharField(max_length=100)),
                ("query", models.TextField()),
                ("created_at", models.DateTimeField()),
                ("deleted_at", models.DateTimeField(null=True)),
            ],
            options={"indexes": [Index(fields=["user", "name"], name="saved_search_by_name")]},
        ),
        migrations.CreateModel(
            name="ConsolidationRun",
            fields=[
                *owned(),
                (
                    "state",
                    models.CharField(
                        choices=[("planned", "Planned"), ("applied", "Applied"), ("undone", "Undone")],
                        default="planned",
                        max_length=10,
                    ),
                ),
                ("digest", models.CharField(max_length=64)),
                ("facts_digest", models.CharField(max_length=64)),
                ("scheduled", models.BooleanField(default=False)),
                ("counts", models.JSONField(default=dict)),
                ("planned_at", models.DateTimeField(default=now)),
                ("applied_at", models.DateTimeField(null=True)),
                ("undone_at", models.DateTimeField(null=True)),
            ],
            options={"indexes": [Index(fields=["user", "-planned_at"], name="consolidation_by_time")]},
        ),
        migrations.CreateModel(
            name="ConsolidationChange",
            fields=[
                *owned(),
                ("run_id", models.UUIDField()),
                reference("run", "memory.consolidationrun", related_name="changes"),
                ("position", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("closed", "Replaced facts closed"),
                            ("merged", "Facts merged"),
                            ("archived", "Facts archived"),
                            ("summarised", "Summaries written"),
                            ("removed", "Empty places removed"),
                        ],
                        max_length=10,
                    ),
                ),
                ("subject", models.CharField(max_length=12)),
                ("subject_id", models.UUIDField()),
                ("others", ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ("details", models.JSONField(default=dict)),
                ("rows", models.JSONField(default=list)),
                ("undone_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    UniqueConstraint(fields=("user", "run_id", "position"), name="consolidation_change_once")
                ]
            },
        ),
        migrations.CreateModel(
            name="EmbeddingSpace",
            fields=[
                ("id", models.SmallAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=120)),
                ("version", models.CharField(max_length=80)),
                ("dimensions", models.PositiveSmallIntegerField()),
                ("search_dimensions", models.PositiveSmallIntegerField()),
            ],
            options={"constraints": [UniqueConstraint(fields=("name", "version"), name="space_once")]},
        ),
        migrations.CreateModel(
            name="DrawerWords",
            fields=[
                *owned(),
                ("room_id", models.UUIDField()),
                ("length", models.PositiveIntegerField()),
                ("words", SearchVectorField()),
                ("hidden", models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name="Lexeme",
            fields=[
                key("lexeme"),
                user(),
                ("lexeme", models.TextField()),
                ("drawers", models.PositiveIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="Fact",
            fields=[
                *owned(),
                ("kind", models.CharField(max_length=20)),
                (
                    "memory_type",
                    models.CharField(
                        choices=[
                            ("semantic", "Semantic"),
                            ("episodic", "Episodic"),
                            ("procedural", "Procedural"),
                            ("reflective", "Reflective"),
                        ],
                        max_length=12,
                    ),
                ),
                ("key", models.CharField(max_length=120)),
                ("value", models.TextField()),
                ("statement", models.CharField(max_length=1000)),
                ("predicate", models.CharField(max_length=120)),
                ("object", models.TextField()),
                ("single_valued", models.BooleanField(default=False)),
                ("event_time", models.DateTimeField(null=True)),
                ("persons", ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ("entities", ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ("location", models.TextField(blank=True)),
                ("topic", models.CharField(blank=True, max_length=200)),
                ("source_kind", models.CharField(blank=True, max_length=20)),
                ("importance", models.FloatField(default=0.5)),
                ("confidence", models.FloatField()),
                ("authority", models.CharField(max_length=10)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("active", "Current"),
                            ("pending_review", "To review"),
                            ("superseded", "Past"),
                            ("rejected", "Rejected"),
                        ],
                        default="active",
                        max_length=15,
                    ),
                ),
                ("review_reason", models.CharField(blank=True, max_length=300)),
                ("valid_from", models.DateTimeField()),
                ("valid_to", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("superseded_by_id", models.UUIDField(null=True)),
                ("merged_into_id", models.UUIDField(null=True)),
                ("version", models.PositiveIntegerField(default=1)),
                ("times_seen", models.PositiveIntegerField(default=1)),
                ("times_recalled", models.PositiveIntegerField(default=0)),
                ("last_recalled_at", models.DateTimeField(null=True)),
                ("content_hash", models.BinaryField(max_length=32)),
                ("mined_by", models.CharField(max_length=10)),
                ("recorded_at", models.DateTimeField(default=now)),
                ("archived_at", models.DateTimeField(null=True)),
                ("deleted_at", models.DateTimeField(null=True)),
                ("deletion_id", models.UUIDField(null=True)),
                ("deleted_by_owner", models.BooleanField(default=False)),
            ],
            options={
                "indexes": [
                    Index(fields=["user", "status", "-valid_from"], name="fact_by_status"),
                    Index(fields=["user", "key"], name="fact_by_key"),
                    Index(fields=["user", "content_hash"], name="fact_by_hash"),
                ],
                "constraints": [
                    UniqueConstraint(
                        condition=Q(Q(("status", "superseded"), _negated=True), ("deleted_at", None)),
                        fields=("user", "content_hash"),
                        name="fact_once_per_user",
                    ),
                    CheckConstraint(
                        condition=Q(("confidence__gte", 0), ("confidence__lte", 1)),
                        name="fact_confidence_0_1",
                    ),
                    CheckConstraint(
                        condition=Q(("importance__gte", 0), ("importance__lte", 1)),
                        name="fact_importance_0_1",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="FactVersion",
            fields=[
                *owned(),
                ("fact_id", models.UUIDField()),
                reference("fact", "memory.fact", related_name="versions"),
                ("number", models.PositiveIntegerField()),
                ("content", models.JSONField()),
                ("content_hash", models.BinaryField(max_length=32)),
                ("decision_id", models.UUIDField()),
                ("replaced_at", models.DateTimeField()),
                ("undone_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    Index(fields=["user", "decision_id"], name="fact_version_decision"),
                    Index(fields=["user", "content_hash"], name="fact_version_hash"),
                ],
                "constraints": [
                    UniqueConstraint(
                        condition=Q(("undone_at", None)),
                        fields=("user", "fact_id", "number"),
                        name="fact_version_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FactLink",
            fields=[
                *owned(),
                ("fact_id", models.UUIDField()),
                reference("fact", "memory.fact"),
                ("other_id", models.UUIDField()),
                reference("other", "memory.fact"),
                (
                    "kind",
                    models.CharField(
                        choices=[("same", "The same in other words"), ("related", "Related")], max_length=10
                    ),
                ),
                ("likeness", models.FloatField()),
            ],
            options={
                "indexes": [Index(fields=["user", "other_id"], name="fact_link_other")],
                "constraints": [
                    UniqueConstraint(fields=("user", "fact_id", "other_id"), name="fact_link_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="FactVector",
            fields=[
                key("fact_id", "space_id"),
                user(),
                ("fact_id", models.UUIDField()),
                reference("fact", "memory.fact"),
                (
                    "space",
                    models.ForeignKey(
                        db_index=False, on_delete=PROTECT, related_name="+", to="memory.embeddingspace"
                    ),
                ),
                ("embedding", HalfVectorField()),
            ],
        ),
        migrations.CreateModel(
            name="Forgetting",
            fields=[
                *owned(),
                ("scope", models.CharField(max_length=12)),
                ("object_id", models.UUIDField(null=True)),
                ("since", models.DateTimeField(null=True)),
                ("until", models.DateTimeField(null=True)),
                ("with_chats", models.BooleanField(default=False)),
                ("counts", models.JSONField(default=dict)),
                ("erased", models.JSONField(default=dict)),
                ("residue", models.JSONField(null=True)),
                ("at", models.DateTimeField(default=now)),
                ("final_at", models.DateTimeField(null=True)),
                ("undone_at", models.DateTimeField(null=True)),
            ],
            options={"indexes": [Index(fields=["user", "-at"], name="forgetting_by_time")]},
        ),
        migrations.CreateModel(
            name="Entity",
            fields=[
                *owned(),
                ("name", models.CharField(max_length=200)),
                ("type", models.CharField(max_length=20)),
                ("created_at", models.DateTimeField(default=now)),
                ("attributes", models.JSONField(blank=True, default=dict)),
                ("merged_into_id", models.UUIDField(null=True)),
            ],
            options={"verbose_name_plural": "entities"},
        ),
        migrations.CreateModel(
            name="EntityName",
            fields=[
                *owned(),
                ("entity_id", models.UUIDField()),
                reference("entity", "memory.entity", related_name="names"),
                ("normalised", models.CharField(max_length=200)),
                ("sense", models.CharField(blank=True, max_length=10)),
                ("name", models.CharField(max_length=200)),
                ("is_alias", models.BooleanField(default=False)),
                ("by_owner", models.BooleanField(default=False)),
            ],
            options={
                "indexes": [Index(fields=["user", "entity_id"], name="entity_name_entity")],
                "constraints": [
                    UniqueConstraint(fields=("user", "normalised", "sense"), name="entity_name_per_sense")
                ],
            },
        ),
        migrations.CreateModel(
            name="GraphEdit",
            fields=[
                *owned(),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("renamed", "Renamed"),
                            ("retyped", "Kind changed"),
                            ("detailed", "Detail changed"),
                            ("named", "Another name"),
                            ("unnamed", "Name removed"),
                            ("merged", "Merged"),
                            ("split", "Split"),
                        ],
                        max_length=10,
                    ),
                ),
                ("entity_id", models.UUIDField()),
                reference("entity", "memory.entity", related_name="edits"),
                ("other_id", models.UUIDField(null=True)),
                ("details", models.JSONField(default=dict)),
                ("at", models.DateTimeField()),
                ("undone_at", models.DateTimeField(null=True)),
            ],
            options={"indexes": [Index(fields=["user", "entity_id", "-at"], name="graph_edit_by_entity")]},
        ),
        migrations.CreateModel(
            name="MiningProgress",
            fields=[
                *operational(),
                ("source_kind", models.CharField(max_length=20)),
                ("source_id", models.UUIDField()),
                ("mined_through", models.PositiveIntegerField(default=0)),
                ("looked_through", models.PositiveIntegerField(default=0)),
                ("drifted_after", models.PositiveIntegerField(default=0)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("ready", "Ready"),
                            ("retrying", "Will be tried again"),
                            ("dead", "Gave up"),
                            ("discarded", "Discarded"),
                        ],
                        default="ready",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("claims", models.PositiveSmallIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(blank=True, null=True)),
                ("error", models.CharField(blank=True, max_length=200)),
                ("updated_at", models.DateTimeField(default=now)),
                ("gone_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name": "mining job",
                "verbose_name_plural": "mining jobs",
                "constraints": [
                    UniqueConstraint(fields=("user", "source_kind", "source_id"), name="progress_per_source")
                ],
            },
        ),
        migrations.CreateModel(
            name="MinedWindow",
            fields=[
                *owned(),
                ("source_kind", models.CharField(max_length=20)),
                ("source_id", models.UUIDField()),
                ("first_sequence", models.PositiveIntegerField()),
                ("last_sequence", models.PositiveIntegerField()),
                ("method", models.CharField(max_length=10)),
                ("mined_at", models.DateTimeField(default=now)),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("no_endpoint", "No model was set up"),
                            ("away", "The model could not be reached"),
                            ("budget", "The budget was spent"),
                            ("declined", "The model declined"),
                            ("unreadable", "The model's answer could not be read"),
                            ("taken_back", "Its re-extraction was undone"),
                            ("gave_up", "Its re-extraction failed too often"),
                            ("nothing", "There is nothing to read"),
                        ],
                        max_length=12,
                    ),
                ),
                ("requested_at", models.DateTimeField(null=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    Index(
                        condition=Q(
                            ("method", "rules"),
                            Q(
                                ("requested_at__isnull", False),
                                ("reason__in", ("away", "budget")),
                                _connector="OR",
                            ),
                        ),
                        fields=["user"],
                        name="window_to_read_again",
                    )
                ],
                "constraints": [
                    UniqueConstraint(
                        fields=("user", "source_kind", "source_id", "first_sequence"), name="window_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Tombstone",
            fields=[
                *owned(),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("message", "Message"),
                            ("text", "Text"),
                            ("conversation", "Conversation"),
                            ("fact", "Fact"),
                            ("agent", "Agent"),
                            ("name", "Name"),
                        ],
                        max_length=12,
                    ),
                ),
                ("digest", models.BinaryField(max_length=32)),
                ("deletion_id", models.UUIDField()),
                ("created_at", models.DateTimeField(default=now)),
            ],
            options={
                "constraints": [
                    UniqueConstraint(fields=("user", "kind", "digest", "deletion_id"), name="tombstone_once")
                ]
            },
        ),
        migrations.CreateModel(
            name="MemoryPreferences",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("enabled", models.BooleanField(default=True)),
                ("auto_mine", models.BooleanField(default=True)),
                (
                    "recipe",
                    models.CharField(
                        choices=[("fast", "Quickly"), ("default", "As usual"), ("thorough", "Thoroughly")],
                        default="default",
                        max_length=10,
                    ),
                ),
                ("top_k", models.PositiveSmallIntegerField(default=5, validators=between(1, 20))),
                ("token_budget", models.PositiveIntegerField(default=1500, validators=between(100, 16000))),
                ("similarity_floor", models.FloatField(default=0.6, validators=between(0, 1))),
                ("use_rerank", models.BooleanField(default=False)),
                ("rerank_model", models.CharField(default="anthropic/claude-haiku-4.5", max_length=120)),
                ("embedding_model", models.CharField(blank=True, max_length=80)),
                ("extraction_model", models.CharField(blank=True, max_length=120)),
                ("idle_minutes", models.PositiveSmallIntegerField(default=5, validators=between(1, 1440))),
                ("inject_profile", models.BooleanField(default=True)),
                ("window_size", models.PositiveSmallIntegerField(default=8, validators=between(8, 10))),
                ("review_threshold", models.FloatField(default=0.5, validators=between(0, 1))),
                (
                    "monthly_budget",
                    models.DecimalField(
                        blank=True, decimal_places=2, max_digits=8, null=True, validators=between(0, 100000)
                    ),
                ),
                ("budget_includes_chat", models.BooleanField(default=True)),
                (
                    "consolidation",
                    models.CharField(
                        choices=[
                            ("never", "Only when I ask"),
                            ("daily", "Every day"),
                            ("weekly", "Every week"),
                            ("monthly", "Every month"),
                        ],
                        default="weekly",
                        max_length=8,
                    ),
                ),
                ("retention_days", models.PositiveSmallIntegerField(default=0, validators=between(0, 3650))),
                (
                    "archive_after_days",
                    models.PositiveSmallIntegerField(default=365, validators=between(0, 3650)),
                ),
                ("time_zone", models.CharField(default="UTC", max_length=60)),
            ],
            options={"verbose_name_plural": "memory preferences"},
        ),
        migrations.CreateModel(
            name="Profile",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("digest", models.BinaryField(max_length=32)),
                ("paragraphs", ArrayField(base_field=models.TextField(), default=list, size=None)),
                (
                    "written_by",
                    models.CharField(
                        choices=[("model", "A language model"), ("rules", "Palace, by rules")], max_length=10
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("made_at", models.DateTimeField(default=now)),
            ],
        ),
        migrations.CreateModel(
            name="OwnWords",
            fields=[
                *owned(),
                ("text", models.TextField()),
                ("written_at", models.DateTimeField(default=now)),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [Index(fields=["user", "-written_at"], name="own_words_by_time")],
                "constraints": [
                    UniqueConstraint(condition=Q(("ended_at", None)), fields=("user",), name="own_words_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="HiddenValue",
            fields=[
                *owned(),
                ("digest", models.BinaryField(max_length=32)),
                ("hidden_at", models.DateTimeField(default=now)),
            ],
            options={"constraints": [UniqueConstraint(fields=("user", "digest"), name="hidden_value_once")]},
        ),
        migrations.CreateModel(
            name="Skill",
            fields=[
                *owned(),
                ("digest", models.BinaryField(max_length=32)),
                ("fact_id", models.UUIDField(null=True)),
                reference("fact", "memory.fact", null=True),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("proposed", "Proposed"),
                            ("published", "Approved"),
                            ("rejected", "Rejected"),
                        ],
                        default="proposed",
                        max_length=10,
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1)),
                ("proposed_at", models.DateTimeField(default=now)),
                ("decided_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [Index(fields=["user", "status", "-proposed_at"], name="skill_by_status")],
                "constraints": [UniqueConstraint(fields=("user", "digest"), name="skill_once")],
            },
        ),
        migrations.CreateModel(
            name="SkillText",
            fields=[
                *owned(),
                ("skill_id", models.UUIDField()),
                reference("skill", "memory.skill", related_name="texts"),
                ("number", models.PositiveIntegerField()),
                ("goal", models.CharField(max_length=300)),
                ("worked", models.TextField()),
                ("failed", models.TextField(blank=True)),
                ("applies", models.CharField(blank=True, max_length=300)),
                ("by_owner", models.BooleanField(default=False)),
                ("written_at", models.DateTimeField(default=now)),
            ],
            options={
                "constraints": [
                    UniqueConstraint(fields=("user", "skill_id", "number"), name="skill_text_once")
                ]
            },
        ),
        migrations.CreateModel(
            name="ProjectionMark",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("windows", models.PositiveIntegerField(default=0)),
                ("facts", models.BigIntegerField(default=0)),
                ("looked_at", models.DateTimeField(default=now)),
            ],
        ),
        migrations.CreateModel(
            name="Insight",
            fields=[
                *owned(),
                ("rule", models.CharField(max_length=12)),
                ("digest", models.BinaryField(max_length=32)),
                ("found_at", models.DateTimeField(default=now)),
                ("dismissed_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [Index(fields=["user", "-found_at"], name="insight_by_time")],
                "constraints": [UniqueConstraint(fields=("user", "digest"), name="insight_once")],
            },
        ),
        migrations.CreateModel(
            name="InsightSource",
            fields=[
                *owned(),
                ("insight_id", models.UUIDField()),
                reference("insight", "memory.insight", related_name="sources"),
                ("fact_id", models.UUIDField()),
                reference("fact", "memory.fact"),
            ],
            options={
                "indexes": [Index(fields=["user", "fact_id"], name="insight_source_fact")],
                "constraints": [
                    UniqueConstraint(fields=("user", "insight_id", "fact_id"), name="insight_source_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Palace",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("wings_made", models.PositiveIntegerField(default=0)),
                ("drawers_indexed", models.PositiveIntegerField(default=0)),
                ("words_indexed", models.PositiveBigIntegerField(default=0)),
                (
                    "answering",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=PROTECT,
                        related_name="+",
                        to="memory.embeddingspace",
                    ),
                ),
                ("answering_since", models.DateTimeField(null=True)),
                ("mixed", models.BooleanField(default=False)),
                ("indexed", models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name="Wing",
            fields=[
                *owned(),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("person", "Person"),
                            ("project", "Project"),
                            ("topic", "Topic"),
                            ("agent", "Agent"),
                        ],
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("ordinal", models.PositiveIntegerField()),
                ("rooms_made", models.PositiveIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=now)),
                ("merged_into_id", models.UUIDField(null=True)),
                ("rooms_held", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("drawers_held", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("first_at", models.DateTimeField(editable=False, null=True)),
                ("last_at", models.DateTimeField(editable=False, null=True)),
            ],
            options={
                "indexes": [Index(fields=["user", "-last_at", "id"], name="wing_lately")],
                "constraints": [UniqueConstraint(fields=("user", "ordinal"), name="wing_ordinal_per_user")],
            },
        ),
        migrations.CreateModel(
            name="WingName",
            fields=[
                *owned(),
                ("wing_id", models.UUIDField()),
                reference("wing", "memory.wing", related_name="names"),
                ("slug", models.CharField(max_length=100)),
                ("name", models.CharField(max_length=200)),
                ("is_alias", models.BooleanField(default=False)),
            ],
            options={
                "indexes": [Index(fields=["user", "wing_id"], name="wing_name_wing")],
                "constraints": [UniqueConstraint(fields=("user", "slug"), name="wing_slug_per_user")],
            },
        ),
        migrations.CreateModel(
            name="Room",
            fields=[
                *owned(),
                ("wing_id", models.UUIDField()),
                reference("wing", "memory.wing", related_name="rooms"),
                ("ordinal", models.PositiveIntegerField()),
                ("drawers_made", models.PositiveIntegerField(default=0)),
                ("title", models.CharField(max_length=300)),
                ("source_kind", models.CharField(max_length=20)),
                ("source_id", models.UUIDField()),
                ("started_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField()),
                ("created_at", models.DateTimeField(default=now)),
                ("merged_into_id", models.UUIDField(null=True)),
                ("closets_held", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("drawers_held", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
            ],
            options={
                "indexes": [
                    Index(fields=["user", "wing_id", "-started_at"], name="room_by_time"),
                    Index(
                        condition=Q(("drawers_held__gt", 0)),
                        fields=["user", "wing_id", "-started_at", "id"],
                        include=("drawers_held",),
                        name="room_that_holds",
                    ),
                    Index(fields=["user", "source_id"], name="room_by_source"),
                ],
                "constraints": [
                    UniqueConstraint(fields=("user", "wing_id", "ordinal"), name="room_ordinal_per_wing"),
                    UniqueConstraint(
                        fields=("user", "wing_id", "source_kind", "source_id"), name="room_per_source"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Closet",
            fields=[
                *owned(),
                ("room_id", models.UUIDField()),
                reference("room", "memory.room", related_name="closets"),
                ("name", models.CharField(max_length=200)),
                ("slug", models.CharField(max_length=100)),
                ("created_at", models.DateTimeField(default=now)),
                ("merged_into_id", models.UUIDField(null=True)),
                ("drawers_held", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
            ],
            options={
                "constraints": [
                    UniqueConstraint(fields=("user", "room_id", "slug"), name="closet_slug_per_room")
                ]
            },
        ),
        migrations.CreateModel(
            name="Summary",
            fields=[
                *owned(),
                ("subject_id", models.UUIDField()),
                ("room_id", models.UUIDField()),
                reference("room", "memory.room"),
                ("closet_id", models.UUIDField(null=True)),
                reference("closet", "memory.closet", null=True),
                ("text", models.TextField()),
                (
                    "written_by",
                    models.CharField(choices=[("rules", "Rules"), ("model", "Model")], max_length=10),
                ),
                ("digest", models.CharField(max_length=64)),
                ("made_at", models.DateTimeField(default=now)),
                ("shown_at", models.DateTimeField(null=True)),
                ("retired_at", models.DateTimeField(null=True)),
            ],
            options={
                "verbose_name_plural": "summaries",
                "indexes": [
                    Index(fields=["user", "subject_id", "-shown_at"], name="summary_of_place"),
                    Index(fields=["user", "room_id"], name="summary_in_room"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Drawer",
            fields=[
                *owned(),
                ("wing_id", models.UUIDField()),
                reference("wing", "memory.wing", related_name="drawers"),
                ("room_id", models.UUIDField()),
                reference("room", "memory.room", related_name="drawers"),
                ("closet_id", models.UUIDField()),
                reference("closet", "memory.closet", related_name="drawers"),
                ("pointer_wing", models.PositiveIntegerField()),
                ("pointer_room", models.PositiveIntegerField()),
                ("pointer_drawer", models.PositiveIntegerField()),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("user", "You"),
                            ("assistant", "Assistant"),
                            ("tool", "Tool"),
                            ("note", "Note"),
                        ],
                        max_length=10,
                    ),
                ),
                ("speaker", models.CharField(blank=True, max_length=120)),
                ("content", models.TextField()),
                ("content_hash", models.BinaryField(max_length=32)),
                ("token_count", models.PositiveIntegerField()),
                ("said_at", models.DateTimeField()),
                ("source_kind", models.CharField(max_length=20)),
                ("source_id", models.UUIDField()),
                ("source_message_id", models.UUIDField()),
                ("source_sequence", models.PositiveIntegerField()),
                ("people", ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ("places", ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ("events", ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ("items", ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ("times", ArrayField(base_field=models.TextField(), blank=True, default=list, size=None)),
                ("mined_by", models.CharField(max_length=10)),
                ("pinned", models.BooleanField(default=False)),
                ("sensitive", models.BooleanField(default=False)),
                ("annotation", models.TextField(blank=True)),
                ("deleted_at", models.DateTimeField(null=True)),
                ("deletion_id", models.UUIDField(null=True)),
                ("created_at", models.DateTimeField(default=now)),
            ],
            options={
                "indexes": [
                    Index(
                        condition=Q(("deleted_at", None)),
                        fields=["user", "room_id", "said_at", "id"],
                        name="drawer_in_room_by_time",
                    ),
                    Index(fields=["user", "closet_id", "said_at", "id"], name="drawer_in_closet_by_time"),
                    Index(
                        condition=Q(("deleted_at", None)),
                        fields=["user", "said_at", "role"],
                        name="drawer_by_time",
                    ),
                    Index(
                        condition=Q(("deleted_at", None)),
                        fields=["user", "wing_id", "room_id"],
                        name="drawer_in_wing",
                    ),
                    Index(
                        condition=Q(("deletion_id__isnull", False)),
                        fields=["user", "deletion_id"],
                        name="drawer_by_deletion",
                    ),
                ],
                "constraints": [
                    UniqueConstraint(
                        fields=("user", "pointer_wing", "pointer_room", "pointer_drawer"),
                        name="drawer_pointer_per_user",
                    ),
                    UniqueConstraint(fields=("user", "source_message_id"), name="drawer_of_message"),
                ],
            },
        ),
        migrations.CreateModel(
            name="PalaceEdit",
            fields=[
                *owned(),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("renamed", "Renamed"),
                            ("rekinded", "Kind changed"),
                            ("merged", "Merged"),
                            ("moved", "Moved"),
                            ("annotated", "Remark changed"),
                            ("pinned", "Pinned"),
                            ("unpinned", "Unpinned"),
                            ("hidden", "Marked as sensitive"),
                            ("shown", "No longer sensitive"),
                        ],
                        max_length=10,
                    ),
                ),
                ("batch_id", models.UUIDField()),
                ("wing_id", models.UUIDField(null=True)),
                reference("wing", "memory.wing", related_name="edits", null=True),
                ("room_id", models.UUIDField(null=True)),
                reference("room", "memory.room", related_name="edits", null=True),
                ("closet_id", models.UUIDField(null=True)),
                reference("closet", "memory.closet", related_name="edits", null=True),
                ("drawer_id", models.UUIDField(null=True)),
                reference("drawer", "memory.drawer", related_name="edits", null=True),
                ("touched", ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ("details", models.JSONField(default=list)),
                ("at", models.DateTimeField()),
                ("undone_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    Index(fields=["user", "-id"], name="palace_edit_lately"),
                    Index(fields=["user", "batch_id"], name="palace_edit_batch"),
                    Index(fields=["user", "wing_id"], name="palace_edit_of_wing"),
                    Index(fields=["user", "room_id"], name="palace_edit_of_room"),
                    Index(fields=["user", "closet_id"], name="palace_edit_of_closet"),
                    Index(fields=["user", "drawer_id"], name="palace_edit_of_drawer"),
                ]
            },
        ),
        migrations.CreateModel(
            name="DrawerVector",
            fields=[
                key("drawer_id", "space_id", "start"),
                user(),
                ("drawer_id", models.UUIDField()),
                reference("drawer", "memory.drawer"),
                (
                    "space",
                    models.ForeignKey(
                        db_index=False, on_delete=PROTECT, related_name="+", to="memory.embeddingspace"
                    ),
                ),
                ("start", models.PositiveIntegerField()),
                ("embedding", HalfVectorField()),
                ("length", models.PositiveIntegerField()),
                ("hidden", models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name="WideVector",
            fields=[
                key("drawer_id", "space_id", "start"),
                user(),
                ("drawer_id", models.UUIDField()),
                reference("drawer", "memory.drawer"),
                (
                    "space",
                    models.ForeignKey(
                        db_index=False, on_delete=PROTECT, related_name="+", to="memory.embeddingspace"
                    ),
                ),
                ("start", models.PositiveIntegerField()),
                ("embedding", HalfVectorField()),
            ],
        ),
        migrations.CreateModel(
            name="SentenceVectors",
            fields=[
                key("drawer_id", "space_id"),
                user(),
                ("drawer_id", models.UUIDField()),
                reference("drawer", "memory.drawer"),
                (
                    "space",
                    models.ForeignKey(
                        db_index=False, on_delete=PROTECT, related_name="+", to="memory.embeddingspace"
                    ),
                ),
                ("kept", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="FactSource",
            fields=[
                *owned(),
                ("fact_id", models.UUIDField()),
                reference("fact", "memory.fact", related_name="sources"),
                ("drawer_id", models.UUIDField()),
                reference("drawer", "memory.drawer", related_name="fact_sources"),
                ("start", models.PositiveIntegerField()),
                ("end", models.PositiveIntegerField()),
                ("since", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [Index(fields=["user", "drawer_id"], name="fact_source_drawer")],
                "constraints": [
                    UniqueConstraint(
                        fields=("user", "fact_id", "drawer_id", "start"), name="fact_source_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="FactEnding",
            fields=[
                *owned(),
                ("key", models.CharField(max_length=120)),
                ("predicate", models.CharField(max_length=120)),
                ("value_digest", models.BinaryField(max_length=32)),
                ("object_digest", models.BinaryField(max_length=32)),
                ("at", models.DateTimeField()),
                ("drawer_id", models.UUIDField()),
                reference("drawer", "memory.drawer"),
                ("start", models.PositiveIntegerField()),
                ("end", models.PositiveIntegerField()),
            ],
            options={
                "indexes": [
                    Index(fields=["user", "key"], name="fact_ending_key"),
                    Index(fields=["user", "predicate"], name="fact_ending_predicate"),
                ],
                "constraints": [
                    UniqueConstraint(fields=("user", "drawer_id", "start", "key"), name="fact_ending_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Misfit",
            fields=[
                *owned(),
                ("trace_id", models.UUIDField()),
                reference("trace", "memory.recalltrace"),
                ("drawer_id", models.UUIDField()),
                reference("drawer", "memory.drawer"),
                ("at", models.DateTimeField(default=now)),
            ],
            options={
                "indexes": [Index(fields=["user", "drawer_id"], name="misfit_by_drawer")],
                "constraints": [
                    UniqueConstraint(fields=("user", "trace_id", "drawer_id"), name="misfit_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="Relation",
            fields=[
                *owned(),
                ("subject_id", models.UUIDField()),
                reference("subject", "memory.entity", related_name="relations_out"),
                ("relation", models.CharField(max_length=120)),
                ("object_id", models.UUIDField()),
                reference("object", "memory.entity", related_name="relations_in"),
                ("single_valued", models.BooleanField(default=False)),
                ("valid_from", models.DateTimeField()),
                ("valid_to", models.DateTimeField(null=True)),
                ("confidence", models.FloatField()),
                ("drawer_id", models.UUIDField()),
                reference("drawer", "memory.drawer", related_name="relations"),
                ("recorded_at", models.DateTimeField(default=now)),
                ("deleted_at", models.DateTimeField(null=True)),
                ("deletion_id", models.UUIDField(null=True)),
            ],
            options={
                "indexes": [
                    Index(fields=["user", "object_id"], name="relation_by_object"),
                    Index(
                        condition=Q(("deleted_at", None)),
                        fields=["user", "-valid_from", "id"],
                        name="relation_lately",
                    ),
                    Index(
                        condition=Q(("deleted_at", None)),
                        fields=["user", "subject_id", "-valid_from", "id"],
                        name="relation_of_subject_lately",
                    ),
                    Index(
                        condition=Q(("deleted_at", None)),
                        fields=["user", "object_id", "-valid_from", "id"],
                        name="relation_of_object_lately",
                    ),
                    Index(fields=["user", "drawer_id"], name="relation_by_drawer"),
                ],
                "constraints": [
                    UniqueConstraint(
                        fields=("user", "subject_id", "relation", "object_id", "valid_from"),
                        name="relation_once",
                    ),
                    CheckConstraint(
                        condition=Q(("valid_to", None), ("valid_to__gte", F("valid_from")), _connector="OR"),
                        name="relation_ends_after_start",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RelationSource",
            fields=[
                *owned(),
                ("subject_id", models.UUIDField()),
                reference("subject", "memory.entity", related_name="said_of"),
                ("relation", models.CharField(max_length=120)),
                ("object_id", models.UUIDField()),
                reference("object", "memory.entity", related_name="said_with"),
                ("edge_id", models.UUIDField(null=True)),
                reference("edge", "memory.relation", related_name="sources", null=True),
                ("ends", models.BooleanField(default=False)),
                ("at", models.DateTimeField()),
                ("until", models.DateTimeField(null=True)),
                ("single_valued", models.BooleanField(default=False)),
                ("confidence", models.FloatField()),
                ("drawer_id", models.UUIDField()),
                reference("drawer", "memory.drawer", related_name="relation_sources"),
                ("start", models.PositiveIntegerField(null=True)),
                ("end", models.PositiveIntegerField(null=True)),
                ("recorded_at", models.DateTimeField(default=now)),
                ("decided_fact_id", models.UUIDField(null=True)),
            ],
            options={
                "indexes": [
                    Index(
                        condition=Q(("decided_fact_id", None), _negated=True),
                        fields=["user", "decided_fact_id"],
                        name="relation_source_decided",
                    ),
                    Index(fields=["user", "subject_id", "relation"], name="relation_source_subject"),
                    Index(fields=["user", "object_id"], name="relation_source_object"),
                    Index(fields=["user", "drawer_id"], name="relation_source_drawer"),
                    Index(fields=["user", "edge_id"], name="relation_source_edge"),
                ]
            },
        ),
        migrations.CreateModel(
            name="SkillSource",
            fields=[
                *owned(),
                ("skill_id", models.UUIDField()),
                reference("skill", "memory.skill", related_name="sources"),
                ("drawer_id", models.UUIDField()),
                reference("drawer", "memory.drawer"),
            ],
            options={
                "indexes": [Index(fields=["user", "drawer_id"], name="skill_source_drawer")],
                "constraints": [
                    UniqueConstraint(fields=("user", "skill_id", "drawer_id"), name="skill_source_once")
                ],
            },
        ),
        # Django makes the indexes of a new model when the migration ends; the script tunes this one.
        migrations.AddIndex(
            model_name="drawer",
            index=Index(fields=["user", "room_id", "source_sequence"], name="drawer_in_room_sequence"),
        ),
        run_script(__file__, reverse=f"DROP FUNCTION {', '.join(FUNCTIONS)} CASCADE"),
    ]
