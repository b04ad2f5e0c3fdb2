"""multilingual-e5-small, rebuilt from the package that ships it: the second local embedding model, and the
base of the reader that finds facts."""
