"""Programs that stress or kill parts of Palace and check the result."""
