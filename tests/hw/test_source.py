from engine.samples import ImuSamples, ScaleSamples
from hw.source import item_time_s, play
from tests.hw.traces.test_recording import evening, recorded, replayed


def test_time_of_a_block_is_that_of_its_last_sample() -> None:
    block = evening(0.1)[0]
    assert isinstance(block, ScaleSamples | ImuSamples)

    assert item_time_s(block) == block.t_s[-1]


def test_play_stops_at_the_end_of_the_source_or_where_it_is_told() -> None:
    _, recording = replayed(recorded([]))
    assert recording.ended
    assert list(play(recording)) == []

    import io

    from hw.traces.recording import Recording

    source = Recording(io.BytesIO(recorded(evening(10.0))), "x")
    items = list(play(source, until_s=4.0))
    assert 3.9 < max(item_time_s(item) for item in items) <= 4.0
    assert not source.ended
