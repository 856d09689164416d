"""The bench from outside: any table that publishes the contract, judged by its messages alone.

`--target mqtt://host[:port]/table` plays scenarios in real time over a real broker. `sitting` plays
one case with a `Link` (the broker) and a `Hand` (who moves the pieces); `told` and `promises` make
of the messages what the judge of the bench wants.
"""
