"""Skills drawn from what worked, with every version of their text, and how far they follow."""

from typing import ClassVar

import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

from accounts.schema import references, row_security


class Migration(migrations.Migration):

    dependencies: ClassVar = [
        ('accounts', '0003_smaller_keys'),
        ('memory', '0010_relation_sources'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations: ClassVar = [
        migrations.CreateModel(
            name='ProjectionMark',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('windows', models.PositiveIntegerField(default=0)),
                ('facts', models.BigIntegerField(default=0)),
                ('looked_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.AlterField(
            model_name='activityevent',
            name='kind',
            field=models.CharField(choices=[('memory_mined', 'Chat remembered'), ('read_again', 'Chat read again with a model'), ('mining_failed', 'Chat could not be remembered'), ('note_saved', 'Note saved'), ('deleted', 'Moved to the trash'), ('restored', 'Restored from the trash'), ('imported', 'Chats imported'), ('settings_changed', 'Settings changed'), ('demo', 'Demo palace'), ('consolidated', 'Memory tidied up'), ('reembedded', 'Search vectors renewed'), ('profile_written', 'Profile written anew'), ('skills_proposed', 'Ways of working noticed'), ('skill_decided', 'You decided about a skill'), ('profile_changed', 'You changed your profile')], max_length=20),
        ),
        migrations.CreateModel(
            name='Skill',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('digest', models.BinaryField(max_length=32)),
                ('fact_id', models.UUIDField(null=True)),
                ('status', models.CharField(choices=[('proposed', 'Proposed'), ('published', 'Published'), ('rejected', 'Rejected')], default='proposed', max_length=10)),
                ('version', models.PositiveIntegerField(default=1)),
                ('proposed_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('decided_at', models.DateTimeField(null=True)),
                ('fact', models.ForeignObject(from_fields=('user', 'fact_id'), null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.fact', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='SkillSource',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('skill_id', models.UUIDField()),
                ('drawer_id', models.UUIDField()),
                ('drawer', models.ForeignObject(from_fields=('user', 'drawer_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='memory.drawer', to_fields=('user', 'id'))),
                ('skill', models.ForeignObject(from_fields=('user', 'skill_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='sources', to='memory.skill', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='SkillText',
            fields=[
                ('pk', models.CompositePrimaryKey('user_id', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('id', models.UUIDField(default=uuid_utils.compat.uuid7, editable=False)),
                ('skill_id', models.UUIDField()),
                ('number', models.PositiveIntegerField()),
                ('goal', models.CharField(max_length=300)),
                ('worked', models.TextField()),
                ('failed', models.TextField(blank=True)),
                ('applies', models.CharField(blank=True, max_length=300)),
                ('by_owner', models.BooleanField(default=False)),
                ('written_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('skill', models.ForeignObject(from_fields=('user', 'skill_id'), on_delete=django.db.models.deletion.DO_NOTHING, related_name='texts', to='memory.skill', to_fields=('user', 'id'))),
                ('user', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddIndex(
            model_name='skill',
            index=models.Index(fields=['user', 'status', '-proposed_at'], name='skill_by_status'),
        ),
        migrations.AddConstraint(
            model_name='skill',
            constraint=models.UniqueConstraint(fields=('user', 'digest'), name='skill_once'),
        ),
        migrations.AddIndex(
            model_name='skillsource',
            index=models.Index(fields=['user', 'drawer_id'], name='skill_source_drawer'),
        ),
        migrations.AddConstraint(
            model_name='skillsource',
            constraint=models.UniqueConstraint(fields=('user', 'skill_id', 'drawer_id'), name='skill_source_once'),
        ),
        migrations.AddConstraint(
            model_name='skilltext',
            constraint=models.UniqueConstraint(fields=('user', 'skill_id', 'number'), name='skill_text_once'),
        ),
        references("memory_skill", "fact_id", "memory_fact"),
        references("memory_skilltext", "skill_id", "memory_skill"),
        references("memory_skillsource", "skill_id", "memory_skill"),
        references("memory_skillsource", "drawer_id", "memory_drawer"),
        row_security("memory_skill"),
        row_security("memory_skilltext"),
        row_security("memory_skillsource"),
        row_security("memory_projectionmark"),
    ]
