"""The hardware-in-the-loop bench: plays scenarios on a table, checks the results, reports them.

    scenario file -> cases (seeds, sweeps) -> stage (what happens) -> run (what was seen and said)
                  -> verdict (checks, measurements) -> report (HTML, JUnit)

Values and judgement (`scenario`, `observed`, `verdict`, `invariants`, `figures`) are pure; the
stage, the targets and the reports hold the input and output. How to write and run scenarios:
docs/bench.md.
"""
