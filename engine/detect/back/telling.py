"""What of the tracker's belief is said, and when.

A piece and a topple are said once waiting would cost more than the risk of a wrong word (`costs`):
the longer the rest, the less certain they need to be. A topple is suspected at once.
Whatever has been said and turns out otherwise is corrected or taken back.
"""

from collections import deque
from collections.abc import Callable, Iterator
from math import hypot, inf, isfinite

from engine.detect.back.account import Account, Fall, Sighting
from engine.detect.back.costs import piece_pays, topple_pays
from engine.detect.back.ending import stopped_for_nothing
from engine.detect.back.location import Location
from engine.detect.back.masses import Weighing
from engine.detect.back.parameters import (
    BROKEN_CERTAIN,
    BROKEN_S,
    BY_FAR,
    CLEARED_AFTER_FALL,
    DISMISSED,
    EMPTY,
    EMPTY_S,
    GONE,
    MOST_CERTAIN,
    MOST_CERTAIN_FELL,
    NO_CELL_S,
    NOT_FALLEN,
    NOT_SO,
    ONE_PIECE,
    OTHER_CELL,
    OTHERWISE,
    PATIENCE_S,
    PERHAPS,
    PERHAPS_FELL,
    PLAYED_ON,
    REMEMBERED_PIECES,
    SECOND_THOUGHT_S,
    STOPPED_PERHAPS,
    SUSPECTED,
    TAKEN_BACK_S,
    TWO_STEPS_S,
)
from engine.detect.back.tracker import Tracker
from engine.detect.body import Stacks
from engine.detect.front.ticks import TICK_S
from engine.events import (
    SURE,
    Cleared,
    Corrected,
    Dismissed,
    Placed,
    Retracted,
    Reweighed,
    Suspected,
    TableEvent,
    ToppleCause,
    Toppled,
    ToppleKind,
)


class Teller:
    """Says what is believed, each thing once.

    Attributes:
        events: to be handed out.
        sightings: every piece of this round by the number of its contact.
        stacks: what has been said to lie on the board.
        last: the piece announced last.
        fall: number of the topple said in this round, `fell_in` of the contact in which it was.
        clears: how many clearings were said; `cleared_s` when the board was empty for the last.
        closed: all pieces are on the board: the last one has counted, whoever bumps the table.
        confirmed: people have said that something fell in this round, or cleared the board after
            it was said.
        pressed: people have said that the board is clear, and it was not yet.
        suspicion: number of the one that has been told and is open still.
        gone: the piece announced last, if that suspicion took it back.
        light_g: less than that weighs a board on which no piece stands.
        pushed_s: when the table was pushed last; inf if that is long ago, or was not felt.
    """

    def __init__(self, stacks: Stacks) -> None:
        self.events: deque[TableEvent] = deque()
        self.sightings: dict[int, Sighting] = {}
        self.stacks = stacks
        self.last: Sighting | None = None
        self.gone: Sighting | None = None
        self.fall: int | None = None
        self.fell_in, self.light_g = 0, -inf
        self.clears, self.cleared_s = 0, -inf
        self.confirmed = self.pressed = self.closed = False
        self.suspicion: int | None = None
        self.pushed_s = inf
        self._next_id = 1
        self._weighed: tuple[Weighing, ...] = ()

    @property
    def weighed(self) -> tuple[Weighing, ...]:
        """The latest pieces of this evening that lie surely, as they were weighed."""
        now = [
            each.weighed
            for each in self.sightings.values()
            if each.ref is not None and each.confidence >= SURE and isfinite(each.weighed[0])
        ]
        return (*self._weighed, *now)[-REMEMBERED_PIECES:]

    def new_id(self) -> int:
        """Number of the next event."""
        self._next_id += 1
        return self._next_id - 1

    def continue_ids(self, last_used: int) -> None:
        """Number the next events after `last_used`."""
        self._next_id = max(self._next_id, last_used + 1)

    # -- pieces --------------------------------------------------------------------------------

    def tell(
        self,
        tracker: Tracker,
        now_s: float,
        steady_s: float,
        *,
        broken: bool = False,
        told: bool = False,
    ) -> None:
        """Say what has become certain enough, or otherwise.

        Args:
            tracker: what is believed.
            now_s: table time.
            steady_s: how long the present rest has lasted.
            broken: it is over; the board is touched again.
            told: people have just said something about it.
        """
        self._tell_fall(tracker, now_s, inf if told else steady_s)
        self.confirmed = self.confirmed or (told and self.fall is not None)
        self._tell_cleared(tracker, now_s, steady_s, broken=broken)
        undisputed = tracker.undisputed - tracker.taken_along(self.clears)
        for sighting in list(self.sightings.values()):
            if sighting.ref is None:
                if self.fall is None:
                    self._consider(tracker, sighting, now_s, steady_s, broken=broken)
                continue
            self._reweigh(sighting, now_s)
            if sighting.open or sighting.confidence < SURE or sighting.contact not in undisputed:
                self._reconsider(tracker, sighting, now_s)

    def came_to_rest(self, since_s: float) -> None:
        """The board has hung still since then."""
        for sighting in self.sightings.values():
            if sighting.released_s <= since_s:
                sighting.still_s = min(sighting.still_s, since_s)

    def _consider(
        self, tracker: Tracker, sighting: Sighting, now_s: float, steady_s: float, *, broken: bool
    ) -> None:
        same = self._same_piece(tracker, sighting)
        if any(tracker.standing(n) > tracker.standing(sighting.contact) for n in same):
            return  # the likeliest of them speaks
        stands = self._standing(tracker, sighting.contact, *same)
        p = stands * (sighting.location.probability if sighting.location else 0.0)
        lay = broken and stands > BROKEN_CERTAIN and steady_s > BROKEN_S
        if sighting.location is None:
            certain = lay or (stands > SURE and steady_s > NO_CELL_S)
        elif broken:
            certain = lay or p > BROKEN_CERTAIN
        else:
            certain = piece_pays(p, steady_s)
        if certain or (steady_s > PATIENCE_S and self._to_ask(tracker, stands) and not broken):
            twin = self._twin(tracker, sighting, stands)
            if twin is not None:
                self._take_over(twin, sighting)
            if sighting.ref is None:
                self._announce(sighting, sighting.location, stands, now_s)

    def _same_piece(self, tracker: Tracker, sighting: Sighting) -> tuple[int, ...]:
        """Other contacts that may be the placement of the same piece, none of them announced.

        A hand that presses while it lets go leaves open in which of them it did.
        """
        return tuple(
            other.contact
            for other in self.sightings.values()
            if other is not sighting and other.id is None and sighting.id is None
            and _one_piece(tracker, sighting, other, tracker.standing(other.contact))
        )  # fmt: skip

    def _twin(self, tracker: Tracker, sighting: Sighting, stands: float) -> Sighting | None:
        """The same piece, announced by another contact: only one of the two stands.

        A hand that lets go in two steps makes two contacts; nobody puts down two pieces so fast.
        """
        for other in self.sightings.values():
            announced = other is not sighting and other.id is not None
            if announced and _one_piece(tracker, sighting, other, stands):
                return other
        return None

    def _heir(self, tracker: Tracker, sighting: Sighting) -> Sighting | None:
        """The same piece, by a contact that has become the likelier one of its placement."""
        for other in self.sightings.values():
            stands = tracker.standing(other.contact)
            likelier = other.id is None and stands > BY_FAR
            if likelier and _one_piece(tracker, sighting, other, stands):
                return other
        return None

    def _take_over(self, twin: Sighting, sighting: Sighting) -> None:
        """What was announced, and perhaps taken back, was this sighting of the piece."""
        sighting.id, sighting.ref, sighting.settled = twin.id, twin.ref, twin.settled
        sighting.cell, sighting.confidence = twin.cell, twin.confidence
        sighting.told = twin.told
        twin.id = twin.ref = twin.cell = None
        if self.last is twin:
            self.last = sighting

    def _standing(self, tracker: Tracker, *contacts: int, fallen: bool = False) -> float:
        """Probability that a piece counts as placed: after a topple, what fell along does not.

        Args:
            tracker: what is believed.
            contacts: in one of which it was put down.
            fallen: a topple is just being told.
        """
        clears, fallen = self.clears, fallen or self.fall is not None

        def counts(account: Account) -> bool:
            fall = account.fall_since(clears) if fallen else None
            takes = None if fall is None else fall.takes
            return any(n in account.stands and takes != n for n in contacts)

        return tracker.probability(counts)

    def _to_ask(self, tracker: Tracker, stands: float) -> bool:
        """Whether people should be asked about a piece: it stands, or else it has fallen."""
        fell = tracker.fallen(self.clears)
        return stands > 0.5 or (stands > PERHAPS and stands + fell > SURE)

    def _announce(
        self, sighting: Sighting, place: Location | None, stands: float, now_s: float
    ) -> None:
        sighting.id = sighting.ref = self.new_id() if sighting.id is None else sighting.id
        sighting.cell = None if place is None else place.cell
        sighting.confidence = 0.0 if place is None else _rounded(stands * place.probability)
        if sighting.cell is not None:
            self.stacks.put(sighting.ref, sighting.cell)
        self.last = sighting
        sighting.told = sighting.weighed
        self.events.append(Placed(
            id=sighting.ref, t_s=sighting.released_s, decided_s=now_s, cell=sighting.cell,
            confidence=sighting.confidence,
            alternatives=() if place is None else place.alternatives,
            mass_g=round(sighting.weighed[0], 3), mass_sd_g=round(sighting.weighed[1], 3),
            stands=_rounded(stands) if place is None else 1.0,
        ))  # fmt: skip

    def _reweigh(self, sighting: Sighting, now_s: float) -> None:
        (mass_g, sd_g), (told_g, told_sd_g) = sighting.weighed, sighting.told
        if sighting.ref is not None and abs(mass_g - told_g) > OTHERWISE * hypot(sd_g, told_sd_g):
            sighting.told = sighting.weighed
            self.events.append(Reweighed(sighting.ref, now_s, round(mass_g, 3), round(sd_g, 3)))

    def _reconsider(self, tracker: Tracker, sighting: Sighting, now_s: float) -> None:
        contact, clears = sighting.contact, self.clears
        if sighting.known and sighting.cell is None:
            return

        def counts(account: Account) -> bool:
            """It stands, or was taken off with all the others: no reason to take it back."""
            fall = account.fall_since(clears)
            if contact in account.stands:
                return self.fall is None or fall is None or fall.takes != contact
            taken = account.emptied > clears or (account.over and account.fall is None)
            return taken and not (fall is not None and _fell_with(fall, sighting))

        stands = tracker.probability(counts)
        if stands < GONE and not sighting.settled:
            heir = None if self.fall is not None else self._heir(tracker, sighting)
            if heir is None:
                self._retract(sighting, now_s)
            else:
                self._take_over(sighting, heir)
            return
        place = sighting.moved or sighting.location
        if place is None or sighting.known:
            return
        confidence = _rounded(stands * place.probability)
        # What comes later may say that it stands, but not on which cell.
        moved = sighting.open and place.cell != sighting.cell and place.probability > OTHER_CELL
        settled = place.cell == sighting.cell and sighting.confidence < SURE <= confidence
        if moved and sighting.moved_s > sighting.released_s + SECOND_THOUGHT_S:
            self._retract(sighting, now_s)
            sighting.released_s = sighting.moved_s
            self._announce(sighting, place, stands, now_s)
        elif moved or settled:
            self._correct(sighting, place, confidence, now_s)

    def _correct(
        self, sighting: Sighting, place: Location, confidence: float, now_s: float
    ) -> None:
        ref = sighting.ref
        assert ref is not None  # noqa: S101 - it was announced
        if place.cell != sighting.cell:
            self.stacks.take(ref)
            self.stacks.put(ref, place.cell)
        sighting.cell, sighting.confidence = place.cell, confidence
        self.events.append(Corrected(ref, now_s, place.cell, confidence, place.alternatives))

    def _retract(self, sighting: Sighting, now_s: float) -> None:
        ref = sighting.ref
        assert ref is not None  # noqa: S101 - it was announced
        self.stacks.take(ref)
        sighting.ref = sighting.cell = None
        suspected = self.suspicion is not None
        if self.last is sighting:
            self.last, self.gone = None, sighting if suspected else None
        reason = "gone" if suspected else "taken back"
        if self.fall is not None:
            reason = "toppled while placing"
        self.events.append(Retracted(ref, now_s, reason))

    # -- topples -------------------------------------------------------------------------------

    def _tell_fall(self, tracker: Tracker, now_s: float, steady_s: float) -> None:
        clears = self.clears
        fell = tracker.fallen(clears)
        if self.fall is not None:
            on, anew = self._goes_on(tracker)
            none = fell < NOT_FALLEN or (on + anew > PLAYED_ON and on > anew)
            # While pieces still come to rest they look like many things.
            if none and steady_s >= TAKEN_BACK_S and not self.confirmed:
                self.events.append(Retracted(self.fall, now_s, "play went on"))
                self.fall = None
                tracker.reweigh(lambda a: NOT_SO if a.fall_since(clears) is not None else 1.0)
            return
        fall = tracker.likeliest_fall(clears)
        if fall is not None and topple_pays(fell, steady_s):
            self._placed_before(fall, tracker, now_s)
            self.topple(fall, fell, now_s)
        elif fall is not None and fell >= SUSPECTED:
            self.suspect(fall.t_s, fall.kind, fell, now_s)
        elif fell < DISMISSED:
            self.dismiss(now_s)

    def _goes_on(self, tracker: Tracker) -> tuple[float, float]:
        """Probability that play goes on: in this round, and in one that has begun since."""
        clears = self.clears
        on = tracker.probability(lambda a: not a.over and a.emptied == clears and a.fall is None)
        return on, tracker.probability(lambda a: not a.over and a.emptied > clears)

    def suspect(self, t_s: float, kind: ToppleKind, p: float, now_s: float) -> None:
        """Something may have fallen, unless that has been said."""
        if self.suspicion is None and self.fall is None:
            self.suspicion = self.new_id()
            self.events.append(Suspected(self.suspicion, t_s, now_s, _rounded(p), kind))

    def dismiss(self, now_s: float) -> None:
        """Nothing had fallen, if something was said to have."""
        if self.suspicion is not None:
            self.events.append(Dismissed(self.suspicion, now_s))
            self.suspicion = self.gone = None

    def topple(self, fall: Fall, p: float, now_s: float) -> None:
        """Pieces fell."""
        told, last = self._toppled(fall, p, now_s), self.last
        self.fall, self.fell_in, self.suspicion = told.id, fall.contact, None
        bumped = told.cause is ToppleCause.BUMP
        undone = bumped and self.taken_along(fall, now_s) is not None
        self.events.append(told)
        # At once: the board may be empty already, and its round is over then.
        if undone and last is not None and last.ref is not None:
            self._retract(last, now_s)
        for sighting in self._fallen(fall):
            if sighting.contact != fall.takes:
                self._retract(sighting, now_s)

    def _placed_before(self, fall: Fall, tracker: Tracker, now_s: float) -> None:
        """Announce what stood when others fell, and lay too short a time to be announced."""
        for sighting in sorted(self.sightings.values(), key=lambda each: each.released_s):
            waits = sighting.ref is None and sighting.released_s < fall.t_s
            if waits and not _fell_with(fall, sighting):
                stands = self._standing(tracker, sighting.contact, fallen=True)
                if stands > 0.5 and self._twin(tracker, sighting, stands) is None:
                    self._announce(sighting, sighting.location, stands, now_s)

    def _toppled(self, fall: Fall, p: float, now_s: float) -> Toppled:
        bumped, last = fall.bumped > 0.5, self._last_before(fall)
        # People may call it a bump all the same: then it was the push that was felt.
        at_s = fall.began_s if bumped or self.pushed_s == inf else self.pushed_s
        rested = None if last is None else _rounded(last.counts(min(at_s, now_s)))
        return Toppled(
            id=self.new_id(), t_s=min(fall.t_s, now_s), decided_s=now_s, kind=fall.kind,
            cause=ToppleCause.BUMP if bumped else ToppleCause.PLACING,
            confidence=_rounded(min(p, MOST_CERTAIN_FELL)),
            cause_confidence=_rounded(max(fall.bumped, 1 - fall.bumped)),
            fallen=fall.fallen, rested=rested,
            mass_g=round(fall.weighed[0], 3), mass_sd_g=round(fall.weighed[1], 3),
        )  # fmt: skip

    def _last_before(self, fall: Fall) -> Sighting | None:
        """The piece announced last, also if it is gone since, but not one let go after the fall."""
        if self.last is None:
            return self.gone
        if self.last.contact <= fall.contact:
            return self.last
        before = [s for n, s in self.sightings.items() if s.ref is not None and n <= fall.contact]
        return max(before, key=lambda sighting: sighting.released_s, default=self.last)

    def taken_along(self, fall: Fall, now_s: float) -> int | None:
        """Contact of the piece that a bump takes along while the board swings under it (T16)."""
        last = self.last
        if last is None or last.settled or self.closed:
            return None
        if last.counts(min(fall.began_s, now_s)) >= 0.5:  # a bump that was not felt is just now
            return None
        return last.contact

    # -- clearing ------------------------------------------------------------------------------

    def _tell_cleared(
        self, tracker: Tracker, now_s: float, steady_s: float, *, broken: bool
    ) -> None:
        clears, bare = self.clears, self._bare()
        emptied = tracker.probability(lambda account: account.emptied > clears or bare(account))
        if emptied < EMPTY and self.fall is not None:
            on, anew = self._goes_on(tracker)
            if on + anew > PLAYED_ON and anew > on:
                emptied = EMPTY
        if emptied < EMPTY or not (steady_s >= EMPTY_S or broken or self.pressed):
            return
        tracker.hear(lambda account: account.cleared() if bare(account) else account)
        perhaps = self._settle_round(tracker, now_s)
        begun = tracker.best.account.stands
        new = {n: s for n, s in self.sightings.items() if n in begun and s.ref is None}
        # A piece of the next round may have made it believed: that came afterwards.
        first_s = min((each.released_s for each in new.values()), default=now_s)
        self.cleared_s = min(now_s - steady_s, first_s - TICK_S)
        if perhaps is not None or not self.pressed:
            self.events.append(Cleared(self.cleared_s, now_s, perhaps))
        self.clears += 1
        self._weighed = self.weighed
        self.pressed = self.confirmed = False
        self.fall = self.last = self.gone = None
        self.sightings = new
        self.stacks.clear()

    def _bare(self) -> Callable[[Account], bool]:
        """Whether the rest fell, too, since the fall that was said: no hand need clear the board.

        While nothing was said no account is of that kind: the piece that fell lies somewhere, and
        hands come for it.
        """
        clears, fell_in, light_g = self.clears, self.fell_in, self.light_g

        def bare(account: Account) -> bool:
            fall, over = account.fall, account.over and account.emptied == clears
            later = over and fall is not None and fall.contact > fell_in
            return later and not account.plate_g and account.free_g < light_g

        return (lambda _: False) if self.fall is None else bare

    def _settle_round(self, tracker: Tracker, now_s: float) -> Toppled | None:
        """The last word about a round: the players have cleared it, so they know.

        Returns:
            What may have fallen and is not told; None where a piece that was told fell in it.
        """
        clears, perhaps = self.clears, None
        fall = tracker.likeliest_fall(clears)
        if self.fall is None and fall is not None:
            seen = tracker.ended_by_fall(clears)
            tracker.doubt_clearing(clears, self._for_nothing)
            fell = tracker.ended_by_fall(clears)
            if fell > CLEARED_AFTER_FALL:
                self.topple(fall, max(seen, min(fell, STOPPED_PERHAPS)), now_s)
            elif fell > PERHAPS_FELL and not any(self._fallen(fall)):
                perhaps = self._toppled(fall, fell, now_s)
        if self.fall is not None and fall is not None:
            for sighting in self._fallen(fall):
                self._retract(sighting, now_s)
        self.dismiss(now_s)
        return perhaps

    @property
    def _for_nothing(self) -> float:
        """How likely the board would be cleared if nothing had fallen."""
        expected = self.closed or len(self.stacks) < (1 if self.pressed else 2)
        return 1.0 if expected else stopped_for_nothing(len(self.stacks))

    def _fallen(self, fall: Fall) -> Iterator[Sighting]:
        """What was announced and would not have been placed by a fall."""
        for sighting in self.sightings.values():
            if _fell_with(fall, sighting) and sighting.ref is not None and not sighting.settled:
                yield sighting


def _fell_with(fall: Fall, sighting: Sighting) -> bool:
    """Whether a piece did not stand because of a fall.

    A bump may be felt in the contact in which a piece was put down that stands all the same.
    """
    own = fall.bumped <= 0.5 and sighting.contact == fall.contact
    return own or sighting.contact == fall.takes


def _one_piece(tracker: Tracker, one: Sighting, other: Sighting, stands: float) -> bool:
    """Whether two contacts are of one placement: so soon after each other, and never both stand.

    Args:
        tracker: what is believed.
        one: what was seen in the first.
        other: what was seen in the second.
        stands: probability that the piece of the one in question does.
    """
    near = abs(one.released_s - other.released_s) <= TWO_STEPS_S
    return near and tracker.standing_both(one.contact, other.contact) < ONE_PIECE * stands


def _rounded(p: float) -> float:
    return round(min(p, MOST_CERTAIN), 4)
