"""Facts: filing, duplicates, contradictions, review, and when each of them holds."""
