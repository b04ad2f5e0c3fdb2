"""What can go wrong with the embedded database."""


class EmbeddedDatabaseFailed(Exception):
    """The embedded PostgreSQL could not be started or prepared; the text says what to do."""
