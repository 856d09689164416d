"""A league: the results of many tables in one database, and standings.

    topple/1/+/results -> result_messages -> worker -> store (SQLite or PostgreSQL) -> standings

Any number of workers may receive from the same tables. Messages may arrive twice, late or out of
order; every game counts once, with the last result that its table sent.
"""
