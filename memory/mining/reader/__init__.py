"""The reader: finds facts about the user in their messages with a small multilingual encoder.

`facts.read` is the entry point. The lower layers are those of multilingual-e5-small as published; the upper
ones and the heads are trained on the labelled messages in `training/` (docs/reader.md).
"""
