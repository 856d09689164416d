"""The tables: a line for each kind of evening, detectors side by side, nothing left out."""

from tests.benchmarks.detection_falls import Fall
from tests.benchmarks.detection_figures import Tally
from tests.benchmarks.detection_limit import Limit
from tests.benchmarks.detection_results import NAIVE, NOW, Key, Results
from tests.benchmarks.detection_sheets import Sheet, sheets

EARLIER = "abc1234"


def one(*, right: int) -> Tally:
    return Tally(
        placements=10, right=right, silent=12 - right, games=1, hours=0.5,
        falls=[Fall("collapse", 0.4, 1.4, asked=True), Fall("off_stack", None, None, asked=False)],
        dismissed=["off_stack"], placement_claims=[(0.995, True), (0.999, False)],
        cause_claims=[(0.8, True)], deaf=[(12.0, 3)], scored=1, exact=1,
    )  # fmt: skip


def found() -> dict[str, Sheet]:
    """Tables of two detectors on four kinds of evenings."""
    results = Results(limits={"calm": (Limit(1, 1.0, 1.0), Limit(1, 1.0, 1.0))})
    for kind in ("usual", "lively", "slow", "soft tablecloth"):
        for die in (True, False):
            results.add(Key(NOW, kind, "calm", die), one(right=9))
            results.add(Key(EARLIER, kind, "calm", die), one(right=4))
    results.add(Key(NAIVE, "usual", "calm", die=True), one(right=2))
    return {f"{sheet.title}: {sheet.heads[1]}": sheet for sheet in sheets(results)}


def sheet(title: str) -> Sheet:
    return next(each for name, each in found().items() if name.startswith(title))


def test_every_kind_of_evening_has_its_line_and_each_group_its_sum() -> None:
    names = [row[0] for row in sheet("Where pieces lie").rows]

    assert names == [
        "goal", "usual", "lively", "slow", "all other people", "soft tablecloth",
    ]  # fmt: skip


def test_before_and_after_stand_side_by_side() -> None:
    pieces = sheet("Where pieces lie")
    lively = next(row for row in pieces.rows if row[0] == "lively")

    assert [head.partition("\n")[2] for head in pieces.heads[1:3]] == [NOW, EARLIER]
    assert lively[1].startswith("90.0 [59.6, 98.2]")
    assert lively[2].startswith("40.0 [16.8, 68.7]")


def test_the_goals_name_the_earlier_detector_and_the_naive_one() -> None:
    usual = sheet("calm, usual people")

    assert EARLIER in usual.heads
    assert "naive" in usual.heads
    assert "naive" not in sheet("calm, other people").heads
    collapse = next(row for row in usual.rows if row[0] == "collapses within 1 s")
    assert collapse[3].startswith("0.00")
    assert collapse[4] in ("open", "missed")


def test_suspicions_stand_beside_the_classifier_by_kind_of_fall() -> None:
    rows = {tuple(row[:3]): row for row in sheet("Suspicion").rows}

    everything = rows["usual people", "all", NOW]
    assert everything[3:5] == ["2", "50 [9, 91]"]
    assert everything[7] == "77-82 / 86-89 / 92-93"
    assert everything[8].startswith("2.0 [")
    assert rows["other people", "collapse", NOW][4].startswith("100")
    assert rows["other people", "off_board", NOW][4] == "-"


def test_each_sort_of_claim_has_its_reliability_and_what_was_claimed_as_sure() -> None:
    rows = sheet("How sure, and how often right: placements").rows
    sure = next(row for row in rows if row[1] == ">= 0.99" and row[0] == NOW)

    assert sure[3:] == ["8", "50.00 [21.52, 78.48]"]
    assert sheet("How sure, and how often right: causes").rows[0][:4] == [
        NOW, "0.7 to 0.85", "0.8000", "4",
    ]  # fmt: skip
