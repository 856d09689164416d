-- The league's tables in 16 parts, for a league of very many tables (docs/league.md, "How far").
-- Run it once, before the first worker, as the league's user:
--     psql postgresql://league@host/league -f league-partitioned.sql
-- The league finds its tables there and makes none of its own. Parts are by table, so that a game
-- stays unique and every statement that names a table touches one part.

CREATE TABLE league_schema (version BIGINT NOT NULL);
INSERT INTO league_schema (version) VALUES (1);

CREATE TABLE league_runs (
    table_id TEXT NOT NULL, boot TEXT NOT NULL, run BIGINT NOT NULL, heard TEXT NOT NULL,
    PRIMARY KEY (table_id, boot)
) PARTITION BY HASH (table_id);

CREATE TABLE league_games (
    table_id TEXT NOT NULL, game TEXT NOT NULL, kind TEXT NOT NULL,
    run BIGINT NOT NULL, rev BIGINT NOT NULL,
    is_over SMALLINT NOT NULL, broken_off SMALLINT NOT NULL, asked SMALLINT NOT NULL,
    simulated SMALLINT NOT NULL,
    ended TEXT NOT NULL, played TEXT NOT NULL, heard TEXT NOT NULL,
    PRIMARY KEY (table_id, game)
) PARTITION BY HASH (table_id);
CREATE INDEX league_games_played ON league_games (played);

CREATE TABLE league_seats (
    table_id TEXT NOT NULL, game TEXT NOT NULL, seat SMALLINT NOT NULL,
    name TEXT NOT NULL, player TEXT NOT NULL, score BIGINT, won SMALLINT NOT NULL,
    PRIMARY KEY (table_id, game, seat)
) PARTITION BY HASH (table_id);
CREATE INDEX league_seats_player ON league_seats (player);

CREATE TABLE league_aliases (player TEXT NOT NULL PRIMARY KEY, means TEXT NOT NULL);

DO $$
BEGIN
    FOR part IN 0..15 LOOP
        EXECUTE format('CREATE TABLE league_runs_%s PARTITION OF league_runs
            FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
        EXECUTE format('CREATE TABLE league_games_%s PARTITION OF league_games
            FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
        EXECUTE format('CREATE TABLE league_seats_%s PARTITION OF league_seats
            FOR VALUES WITH (MODULUS 16, REMAINDER %s)', part, part);
    END LOOP;
END
$$;
