"""Chats that are kept for a number of days only."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0011_skills'),
    ]

    operations = [
        migrations.AlterField(
            model_name='activityevent',
            name='kind',
            field=models.CharField(choices=[('memory_mined', 'Chat remembered'), ('read_again', 'Chat read again with a model'), ('mining_failed', 'Chat could not be remembered'), ('note_saved', 'Note saved'), ('deleted', 'Moved to the trash'), ('restored', 'Restored from the trash'), ('imported', 'Chats imported'), ('settings_changed', 'Settings changed'), ('demo', 'Demo palace'), ('consolidated', 'Memory tidied up'), ('chats_expired', 'Old chats removed'), ('purged', 'Erased for good'), ('reembedded', 'Search vectors renewed'), ('profile_written', 'Profile written anew'), ('skills_proposed', 'Ways of working noticed'), ('skill_decided', 'You decided about a skill'), ('profile_changed', 'You changed your profile')], max_length=20),
        ),
        migrations.AddField(
            model_name='memorypreferences',
            name='retention_days',
            field=models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(3650)]),
        ),
        migrations.AddField(
            model_name='miningprogress',
            name='gone_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
