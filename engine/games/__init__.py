"""The games under one contract (`engine.games.contract`), one folder each."""
