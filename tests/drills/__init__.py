"""Programs that treat Palace badly on purpose and look at what is left."""
