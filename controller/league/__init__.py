"""A league: the results of many tables in one database, and who leads.

    topple/1/+/results -> result_messages -> worker -> store (SQLite or PostgreSQL) -> standings

Any number of workers may hear the same tables; whatever arrives twice, late or out of order, every
game counts once, with the last word its table had about it.
"""
