"""The journal: stores everything that makes up a game, before it is shown."""
