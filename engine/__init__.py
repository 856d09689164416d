"""The pure core: samples to table events, table events to game actions, actions to a score.

Nothing here knows a clock, chance, a file, a network or a thread. Time arrives with the samples.
"""
