import os
import pty

from controller.workshop.keys import Keys


def test_without_a_terminal_no_key_is_ever_pressed() -> None:
    with Keys(None) as keys:
        assert keys.pressed() == ""


def test_a_key_is_heard_without_enter() -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "r") as terminal, Keys(terminal) as keys:
        before = keys.pressed()
        os.write(ours, b"xr")
        heard = ""
        for _ in range(10_000):
            heard = heard or keys.pressed()
        assert (before, heard) == ("", "r")
    os.close(ours)
