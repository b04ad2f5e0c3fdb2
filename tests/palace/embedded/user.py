"""A process that uses the embedded database: `python user.py HOME`, then lines on its input."""

import os
import sys
from pathlib import Path

import psycopg

from palace.embedded.location import EmbeddedDatabase
from palace.embedded.server import ensure_running, owner_password


def main() -> None:
    database = EmbeddedDatabase(Path(sys.argv[1]), durable=False)
    ensure_running(database)
    report(database)
    for line in sys.stdin:
        if line.strip() == "fork":
            child = os.fork()
            if child == 0:
                sys.exit(0)  # runs the exit handlers
            os.waitpid(child, 0)
        ensure_running(database)
        report(database)


def report(database: EmbeddedDatabase) -> None:
    password = owner_password(database)
    where = f"host='{database.socket_folder}' user=postgres password={password} dbname={database.name}"
    with psycopg.connect(where) as connection:
        row = connection.execute("SELECT pg_postmaster_start_time()::text").fetchone()
    sys.stdout.write(f"{row[0] if row else ''}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
