"""Every table of memory."""

from memory.models.activity import ActivityEvent, RecallTrace, Usage
from memory.models.arranging import PalaceEdit, SavedSearch
from memory.models.consolidation import ConsolidationChange, ConsolidationRun, Summary
from memory.models.facts import Fact, FactEnding, FactLink, FactSource, FactVector, FactVersion
from memory.models.feedback import Misfit
from memory.models.forgetting import Forgetting
from memory.models.graph import OWNER, Entity, EntityName, GraphEdit, Relation, RelationSource
from memory.models.ledger import MinedWindow, MiningProgress, Tombstone
from memory.models.preferences import MemoryPreferences
from memory.models.projections import (
    HiddenValue,
    Insight,
    InsightSource,
    OwnWords,
    Profile,
    ProjectionMark,
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

__all__ = [
    "OWNER",
    "ActivityEvent",
    "Closet",
    "ConsolidationChange",
    "ConsolidationRun",
    "Drawer",
    "DrawerVector",
    "DrawerWords",
    "EmbeddingSpace",
    "Entity",
    "EntityName",
    "Fact",
    "FactEnding",
    "FactLink",
    "FactSource",
    "FactVector",
    "FactVersion",
    "Forgetting",
    "GraphEdit",
    "HiddenValue",
    "Insight",
    "InsightSource",
    "Lexeme",
    "MemoryPreferences",
    "MinedWindow",
    "MiningProgress",
    "Misfit",
    "OwnWords",
    "Palace",
    "PalaceEdit",
    "Profile",
    "ProjectionMark",
    "RecallTrace",
    "Relation",
    "RelationSource",
    "Room",
    "SavedSearch",
    "SentenceVectors",
    "Skill",
    "SkillSource",
    "SkillText",
    "Summary",
    "Tombstone",
    "Usage",
    "WideVector",
    "Wing",
    "WingName",
]
