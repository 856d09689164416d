"""The four games under one contract (`engine.games.contract`), one file each."""
