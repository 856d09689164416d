"""How far table time has come, by a clock that only a pause moves on."""

from controller.workshop.pace import Pace


def pace(*, live: bool, speed: float | None = None) -> tuple[Pace, list[float]]:
    now_s = [100.0]

    def pause(seconds: float) -> None:
        now_s[0] += seconds

    return Pace(live=live, step_s=0.5, speed=speed, clock=lambda: now_s[0], pause=pause), now_s


def test_a_live_table_goes_by_the_clock() -> None:
    live, clock_s = pace(live=True)
    for _ in range(10):
        live.next()
    assert live.now_s == clock_s[0] - 100.0 > 0.0


def test_a_simulated_table_waits_for_nobody() -> None:
    free, clock_s = pace(live=False)
    assert [free.next(), free.next(), clock_s[0]] == [0.5, 1.0, 100.0]


def test_a_simulated_table_can_be_held_to_a_speed() -> None:
    slow, clock_s = pace(live=False, speed=2.0)
    slow.next()
    slow.next()
    assert clock_s[0] == 100.5


def test_no_moment_is_later_than_was_asked_for() -> None:
    free, _ = pace(live=False)
    assert [free.next(0.2), free.next(0.9)] == [0.2, 0.7]
