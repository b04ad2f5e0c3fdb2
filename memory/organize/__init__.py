"""What the owner of a palace can change about its order: names, kinds, places and marks.

Each change is written down with what it replaced, so that it can be taken back exactly; pointers
stay what they are. Everything runs under the palace lock, beside miners and other windows.
"""
