"""The owner's decisions about facts; each can be undone."""
