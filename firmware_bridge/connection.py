"""The protocol with the microcontroller, without a port and without a clock (sans-IO).

    bytes from the line -> receive_data -> next_event -> what happened
    tick, command       -> data_to_send -> bytes for the line

The owner of the port calls `opened`, then in turn `receive_data`, `tick` and `data_to_send`, and
takes events until there are none. Host time goes in as `now_s`, from any clock that only moves
forward. Order of things: listen until a good frame comes (HELLO after a reset, else the
heartbeat), Identify until HELLO comes, check who it is, Start, samples. Before that frame nothing
is sent: it may be somebody's printer. After a reset in mid-stream HELLO comes by itself and
streaming is started again.
"""

from collections import deque
from dataclasses import dataclass, replace
from enum import Enum

from firmware_bridge import troubles
from firmware_bridge.clock import DeviceClock, RoundTrip, TickCounter
from firmware_bridge.events import (
    Arrived,
    CommandDone,
    CommandFailed,
    Connected,
    Event,
    NoAnswer,
    Rebooted,
    Refused,
)
from firmware_bridge.framing import Frame, FrameReader, ReceiveTally, encode_frame
from firmware_bridge.greeting import refusal, reset_trouble, warning_for
from firmware_bridge.losses import LossCounter, Losses
from firmware_bridge.messages import (
    Ack,
    Command,
    CommandResult,
    Hello,
    Identify,
    Message,
    Ping,
    Pong,
    Start,
    Status,
    Stop,
    Unknown,
)
from firmware_bridge.troubles import LinkTrouble

HELLO_RETRY_S = 0.5
HELLO_PATIENCE_S = 4.0
"""Opening the port resets a Nano, and its bootloader listens for 1 to 2 s before it starts us."""

COMMAND_RETRY_S = 0.15
"""Much longer than a round trip (5 ms on USB, up to 20 ms with a slow latency timer)."""
COMMAND_TRIES = 8

PING_EVERY_S = 0.97
"""About once a second, and not in step with the heartbeat."""

SILENCE_S = 2.5
"""The heartbeat comes every second; two in a row do not get lost on a good line."""

FOREIGN_S = 5.0
"""A frame whose time is this far from now is from another boot, or the host slept."""


class ConversationState(Enum):
    """State of the conversation."""

    CLOSED = "closed"
    ASKING = "asking"
    READY = "ready"
    REFUSED = "refused"


@dataclass(slots=True)
class _Pending:
    command: Command
    tries: int = 0
    next_try_s: float = float("-inf")


class Connection:
    """Both halves of the conversation. Not thread-safe: one owner.

    Attributes:
        state: of the conversation.
        hello: what the board said last.
        greeted: whether a good frame has come since the port was opened.
    """

    def __init__(self) -> None:
        self.state = ConversationState.CLOSED
        self.hello: Hello | None = None
        self.greeted = False
        self._reader = FrameReader()
        self._events: deque[Event] = deque()
        self._outgoing = bytearray()
        self._commands: deque[_Pending] = deque()
        self._command_id = 0
        self._seq = 0
        self._opened_s = self._heard_s = self._asked_s = self._pinged_s = float("-inf")
        self._silence_told = self._streaming = False
        self._stopped = False  # by its owner
        self._bytes_before = 0
        self._forget_device()

    @property
    def tally(self) -> ReceiveTally:
        """What the receiver made of the bytes, since this object was made."""
        return self._reader.tally

    @property
    def losses(self) -> Losses:
        """What was lost since the microcontroller started, and where."""
        return self._losses.totals

    @property
    def clock(self) -> DeviceClock:
        """The microcontroller's clock as known so far."""
        return self._clock

    @property
    def periods_us(self) -> tuple[float | None, ...]:
        """Measured period of each cell and, last, of the inertial sensor; None: not known yet."""
        return tuple(c.period_us for c in (*self._losses.scales, self._losses.imu))

    def opened(self, now_s: float, *, known: bool = False) -> None:
        """The port is open: listen whether it is the board's, unless that is `known`."""
        self._reader.forget_partial()
        self._losses.reopened()
        self._outgoing.clear()
        self.greeted = known
        self._begin_asking(now_s)
        self.tick(now_s)

    def _begin_asking(self, now_s: float) -> None:
        self.state, self._streaming = ConversationState.ASKING, False
        self._opened_s = self._heard_s = now_s
        self._asked_s = float("-inf")
        self._silence_told = False
        self._bytes_before = self.tally.bytes

    def closed(self, trouble: LinkTrouble) -> None:
        """The port is gone; commands under way fail with `trouble`."""
        self.state = ConversationState.CLOSED
        self._outgoing.clear()
        self._fail_commands(trouble)

    def command(self, command: Command) -> int:
        """Queue a command; its `command_id` is replaced by the one returned.

        The answer comes as `CommandDone` or `CommandFailed` with that id.
        """
        self._command_id = self._command_id % 255 + 1
        self._commands.append(_Pending(replace(command, command_id=self._command_id)))
        return self._command_id

    def data_to_send(self) -> bytes:
        """Bytes that are waiting to be written; they are handed over once."""
        data = bytes(self._outgoing)
        self._outgoing.clear()
        return data

    def next_event(self) -> Event | None:
        """The oldest event not yet taken, or None."""
        return self._events.popleft() if self._events else None

    def receive_data(self, data: bytes, now_s: float) -> None:
        """Take what was read at `now_s`. Never raises, whatever the bytes are."""
        self._reader.receive_data(data)
        while (frame := self._reader.next_frame()) is not None:
            self._take(frame, now_s)

    def tick(self, now_s: float) -> None:
        """Do what is due: ask, repeat, ping, notice silence. Call at least every 50 ms."""
        if self.state is ConversationState.ASKING:
            self._ask(now_s)
        elif self.state is ConversationState.READY:
            self._watch_silence(now_s)
            self._ping(now_s)
            self._push_command(now_s)

    def _take(self, frame: Frame, now_s: float) -> None:
        self._heard_s = now_s
        if not self.greeted and not isinstance(frame.message, Unknown):
            self.greeted = True
            self._outgoing += b"\0"  # ends whatever the line made of the plugging in
        if isinstance(frame.message, Hello):
            self._take_hello(frame, frame.message)
        elif self.state is ConversationState.READY:
            self._take_known(frame, now_s)

    def _take_known(self, frame: Frame, now_s: float) -> None:
        if self._is_foreign(frame, now_s):
            self._ask_again(now_s)
            return
        if isinstance(frame.message, Status):
            self._keep_streaming(frame.message)
        self._losses.take(frame)
        device_us = self._ticks.extend(frame.t_us)
        if isinstance(frame.message, Pong):
            self._take_pong(frame.message, device_us, now_s)
        elif isinstance(frame.message, Ack):
            self._take_ack(frame.message)
        else:
            self._events.append(Arrived(frame, device_us, self._clock.host_s(device_us)))

    def _is_foreign(self, frame: Frame, now_s: float) -> bool:
        """True for frames of a boot whose HELLO got lost: its clock and numbers are not ours."""
        if isinstance(frame.message, Status) and self._streaming and not frame.message.streaming:
            return True
        host_s = self._clock.host_s(self._ticks.peek(frame.t_us))
        return host_s is not None and abs(host_s - now_s) > FOREIGN_S

    def _ask_again(self, now_s: float) -> None:
        if now_s - self._asked_s >= HELLO_RETRY_S:
            self._asked_s = now_s
            self._send(Identify())
            self._start()

    def _start(self) -> None:
        """Queue Start before anything that waits already."""
        self._streaming = False
        self.command(Start(0))
        self._commands.rotate(1)

    def _keep_streaming(self, status: Status) -> None:
        """Start once more when every repetition of the last one was lost."""
        starting = any(isinstance(pending.command, Start) for pending in self._commands)
        if not (status.streaming or starting or self._stopped):
            self._start()

    def _take_hello(self, frame: Frame, hello: Hello) -> None:
        if (trouble := refusal(hello)) is not None:
            self._refuse(trouble)
        elif self.state is ConversationState.READY and self._is_same_boot(hello):
            self._losses.take(frame)  # a second answer to a repeated Identify
        else:
            self._greet(frame, hello)

    def _refuse(self, trouble: LinkTrouble) -> None:
        if self.state is not ConversationState.REFUSED:
            self._fail_commands(trouble)
            self._events.append(Refused(trouble))
        self.state = ConversationState.REFUSED

    def _is_same_boot(self, hello: Hello) -> bool:
        return self.hello is not None and hello.boot_counter == self.hello.boot_counter

    def _greet(self, frame: Frame, hello: Hello) -> None:
        rebooted = self.state is ConversationState.READY
        if not self._is_same_boot(hello):
            self._forget_device()
        self._losses.pause()
        self._losses.take(frame)
        self._ticks.extend(frame.t_us)
        self.hello, self.state, self._silence_told = hello, ConversationState.READY, False
        self._pinged_s = float("-inf")
        if rebooted:
            self._fail_commands(troubles.RESTARTED_FIRST())
            self._events.append(Rebooted(hello, reset_trouble(hello)))
        else:
            self._events.append(Connected(hello, warning_for(hello)))
        self._start()

    def _forget_device(self) -> None:
        """A new boot: its clock starts at zero and its counters too."""
        self._clock, self._ticks, self._losses = DeviceClock(), TickCounter(), LossCounter()
        self._asked_time: dict[int, float] = {}
        self._token = 0

    def _take_pong(self, pong: Pong, device_us: int, now_s: float) -> None:
        sent_s = self._asked_time.pop(pong.token, None)
        if sent_s is not None:
            self._clock.learn(RoundTrip(device_us, sent_s, now_s))

    def _take_ack(self, ack: Ack) -> None:
        if not self._commands or self._commands[0].command.command_id != ack.command_id:
            return  # answer to a repetition that was not needed any more
        command = self._commands.popleft().command
        known = ack.result in set(CommandResult)
        result = CommandResult(ack.result) if known else CommandResult.BAD_VALUE
        if isinstance(command, Start | Stop):
            self._streaming = isinstance(command, Start)
            self._stopped = not self._streaming
        self._events.append(CommandDone(command, result))

    def _ask(self, now_s: float) -> None:
        if self.greeted and now_s - self._asked_s >= HELLO_RETRY_S:
            self._asked_s = now_s
            self._send(Identify())
        if not self._silence_told and now_s - self._opened_s >= HELLO_PATIENCE_S:
            self._silence_told = True
            self._events.append(NoAnswer(self._no_hello()))

    def _no_hello(self) -> LinkTrouble:
        came, seconds = self.tally.bytes - self._bytes_before, round(HELLO_PATIENCE_S)
        if came == 0:
            return troubles.QUIET(seconds=seconds)
        return troubles.BABBLE(n=came, seconds=seconds)

    def _watch_silence(self, now_s: float) -> None:
        if now_s - self._heard_s < SILENCE_S:
            return
        self._events.append(NoAnswer(troubles.SAYS_NOTHING(seconds=SILENCE_S)))
        self._begin_asking(now_s)
        self._silence_told = True

    def _ping(self, now_s: float) -> None:
        if now_s - self._pinged_s < self._ping_interval_s():
            return
        self._pinged_s = now_s
        self._token = (self._token + 1) % 256
        self._asked_time = {self._token: now_s}  # an answer to an older one would be too late
        self._send(Ping(self._token))

    def _ping_interval_s(self) -> float:
        """Quickly at first, so that samples have a time within a moment of the start."""
        return PING_EVERY_S if self._clock.line is not None else HELLO_RETRY_S / 5

    def _push_command(self, now_s: float) -> None:
        if not self._commands or now_s < self._commands[0].next_try_s:
            return
        pending = self._commands[0]
        if pending.tries == COMMAND_TRIES:
            self._commands.popleft()
            name = type(pending.command).__name__
            trouble = troubles.DEAF(command=name, n=COMMAND_TRIES)
            self._events.append(CommandFailed(pending.command, trouble))
            return
        pending.tries += 1
        pending.next_try_s = now_s + COMMAND_RETRY_S
        self._send(pending.command)

    def _fail_commands(self, trouble: LinkTrouble) -> None:
        """Start is ours and comes again after the next HELLO; the others are the caller's."""
        commands = [pending.command for pending in self._commands]
        self._commands.clear()
        self._events.extend(
            CommandFailed(command, trouble)
            for command in commands
            if not isinstance(command, Start)
        )

    def _send(self, message: Message) -> None:
        self._outgoing += encode_frame(Frame(message, self._seq, 0))
        self._seq = (self._seq + 1) % 0x10000
