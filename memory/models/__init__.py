"""All models of memory."""

from memory.models.activity import ActivityEvent, NegativeFeedback, RecallTrace, Usage
from memory.models.changes import ChangeSet, RowChange
from memory.models.consolidation import ConsolidationRun, Summary
from memory.models.facts import (
    DROPPED,
    Fact,
    FactEnding,
    FactLink,
    FactSource,
    FactVector,
    FactVersion,
    holding_reworded,
    reworded,
)
from memory.models.forgetting import Forgetting
from memory.models.graph import OWNER, Entity, EntityName, Relation, RelationSource, held_at
from memory.models.mining_progress import MinedWindow, MiningProgress, Tombstone
from memory.models.preferences import MemoryPreferences
from memory.models.projections import (
    HiddenValue,
    Insight,
    Profile,
    ProfileText,
    ProjectionWatermark,
    Skill,
    SkillSource,
    SkillText,
)
from memory.models.structure import Closet, Drawer, Palace, Room, Wing, WingName
from memory.models.vectors import (
    DrawerVector,
    DrawerWords,
    EmbeddingSpace,
    Lexeme,
    SentenceVectors,
    WideVector,
)
