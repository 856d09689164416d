"""Finds what affects all sensors at once: supply, mains hum, link."""

from math import isnan

import numpy as np

from controller.workshop.diagnose.core.findings import Finding, Severity
from engine.samples import Floats
from engine.tabletop import CELL_COUNT, load_cell_name
from hw.signal_figures import SD_OF_MAD, believed, link_gaps, robust_sd
from hw.source import LinkHealth
from hw.stretch import Stretch

COMMON_LEAST_COUNTS = 60.0
"""Noise that goes together in all cells: at most the input noise of one chip at 80 SPS (datasheet:
59 counts at 3.3 V)."""
COMMON_EIGENVALUE = 2.0
"""Largest eigenvalue of the correlations of four signals: 1.1 to 1.2 when they are independent, 2
when a third of each is common, 4 when all is."""

MAINS_HZ = (50.0, 60.0)
MAINS_WANDER_HZ = 0.2
"""European and American grids stay within this."""
HUM_POWER = 25.0
"""Power of a line over that of the noise: white noise exceeds it once in 1e9 tables."""
HUM_LEAST_COUNTS = 60.0

DAMAGED_LIMIT = 2
"""Messages damaged or lost while the table was watched: ten minutes on a good cable lose none."""


def supply_findings(stretch: Stretch) -> list[Finding]:
    """Noise that the cells share, and hum."""
    hum = _hum(stretch)
    return hum or _common(stretch)


def common_noise(stretch: Stretch) -> tuple[float, float]:
    """Noise in counts that all cells share, and the largest eigenvalue of their correlations.

    From differences of neighbouring rows, so that drift and slow hands do not count; signs do
    not matter, since a supply moves a negative count the other way.
    """
    rows = stretch.scale.valid.all(axis=1)
    counts = stretch.scale.raw[rows].astype(np.float64)
    if len(counts) < 50:
        return 0.0, 1.0
    steps = np.diff(counts, axis=0)
    spread = SD_OF_MAD * np.median(np.abs(steps - np.median(steps, axis=0)), axis=0)
    if not (spread > 0).all():
        return 0.0, 1.0
    # A corrupt data word would outweigh all the rest.
    scaled = np.clip(steps / spread, -4, 4)
    correlation = np.corrcoef(scaled.T)
    values, vectors = np.linalg.eigh(correlation)
    share = float(values[-1]) * vectors[:, -1] ** 2
    shared_counts = float(np.median(spread * np.sqrt(np.clip(share, 0, 1)))) / np.sqrt(2)
    return shared_counts, float(values[-1])


def _common(stretch: Stretch) -> list[Finding]:
    counts, eigenvalue = common_noise(stretch)
    if eigenvalue < COMMON_EIGENVALUE or counts < COMMON_LEAST_COUNTS:
        return []
    return [
        Finding(
            Severity.WARNING,
            "scale",
            "noisy_supply",
            "The supply is noisy: the counts of all cells jump together.",
            "Give the HX711 boards a quiet supply of their own (10 uF and 100 nF at each), not the "
            "one of lights or motors; and check that the table itself stands still.",
            f"{counts:.0f} counts in common",
            f"at most {COMMON_LEAST_COUNTS:.0f} counts",
        )
    ]


def _hum(stretch: Stretch) -> list[Finding]:
    lines = {
        cell: line
        for cell in range(CELL_COUNT)
        if (line := _strongest_line(stretch, cell))[1] > HUM_POWER and line[2] > HUM_LEAST_COUNTS
    }
    if not lines:
        return []
    mains_hz, _, counts = max(lines.values(), key=lambda line: line[2])
    together = len(lines) == CELL_COUNT
    named = " and ".join(f"load cell {load_cell_name(cell)}" for cell in lines)
    where = "all load cells" if together else named
    return [
        Finding(
            Severity.WARNING,
            "scale" if together else f"scale.{min(lines)}",
            "mains_hum",
            f"{mains_hz:.0f} Hz hum from the mains on {where}.",
            "Try another power supply and keep the cables away from mains wires; ground the "
            "shields of the cells' cables at one end."
            if together
            else "Lead its cable away from mains wires, twist it, ground its shield at one end.",
            f"{counts:.0f} counts",
            f"at most {HUM_LEAST_COUNTS:.0f} counts",
        )
    ]


def _strongest_line(stretch: Stretch, cell: int) -> tuple[float, float, float]:
    """Mains frequency, power over the noise and effective counts of the strongest hum of a cell.

    At 80 conversions a second 50 Hz appears folded; projecting on the true times of the
    conversions finds it all the same.
    """
    used = believed(stretch.conversions(cell))
    t_s, counts = used.t_s, used.counts.astype(np.float64)
    if len(t_s) < 100:
        return 0.0, 0.0, 0.0
    level = counts - np.median(counts)
    spread = robust_sd(counts)
    if isnan(spread) or spread == 0:
        return 0.0, 0.0, 0.0
    level = np.clip(level, -5 * spread, 5 * spread)
    level -= level.mean()
    best = max(((_line(t_s, level, mains), mains) for mains in MAINS_HZ), key=lambda line: line[0])
    amplitude, mains = best
    rest = max(float(level.var()) - amplitude**2 / 2, 1e-9)
    return mains, len(t_s) * amplitude**2 / (4 * rest), amplitude / np.sqrt(2)


def _line(t_s: Floats, level: Floats, mains_hz: float) -> float:
    """Amplitude of the strongest oscillation about a frequency."""
    step_hz = 0.25 / max(1.0, t_s[-1] - t_s[0])
    tried = np.arange(mains_hz - MAINS_WANDER_HZ, mains_hz + MAINS_WANDER_HZ, step_hz)
    waves = np.exp(-2j * np.pi * np.outer(tried, t_s))
    return float(2 * np.abs(waves @ level).max() / len(t_s))


# --- link ---------------------------------------------------------------------------------


def link_findings(
    stretch: Stretch,
    before: LinkHealth | None = None,
    after: LinkHealth | None = None,
    *,
    on_pins: bool = False,
) -> list[Finding]:
    """What was lost between the sensors and this computer at rest; of the line before and after.

    `on_pins`: there is no line, this computer reads the sensors itself.
    """
    found: list[Finding] = []
    if on_pins:
        return _stalls(stretch)
    reboots = 0
    if before is not None and after is not None:
        reboots = after.resets - before.resets
        found = _counted(before, after)
    # Each restart is a silence too.
    found = _silences(stretch, besides=reboots) + found
    reports = [r for r in stretch.reports if r.sensor == "link" and not r.ok]
    if reports and not found:
        found.append(_link(Severity.FAULT, "link_lost", reports[-1].reason, "", ""))
    return found


def _stalls(stretch: Stretch) -> list[Finding]:
    silent = link_gaps(stretch)
    if not len(silent):
        return []
    longest_s = float((silent[:, 1] - silent[:, 0]).max())
    return [
        Finding(
            Severity.FAULT,
            "scale",
            "computer_stalls",
            "This computer does not look at its pins for moments: all sensors fall silent at the "
            "same time.",
            "Close other programs, check the Pi's supply and its SD card; or use a "
            "microcontroller.",
            f"{len(silent)} times in {stretch.seconds:.0f} s, up to {longest_s:.1f} s",
            "never",
        )
    ]


def _silences(stretch: Stretch, besides: int) -> list[Finding]:
    silent = link_gaps(stretch)
    if len(silent) <= besides:
        return []
    longest_s = float((silent[:, 1] - silent[:, 0]).max())
    return [
        _link(
            Severity.FAULT,
            "loose_link",
            "The link to the sensors breaks off: all of them fall silent at the same time.",
            f"{len(silent)} times in {stretch.seconds:.0f} s, up to {longest_s:.1f} s",
            "never",
        )
    ]


def _counted(before: LinkHealth, after: LinkHealth) -> list[Finding]:
    found: list[Finding] = []
    if reboots := after.resets - before.resets:
        sentence = "The microcontroller restarted by itself; its supply drops, or it hung."
        found.append(_link(Severity.FAULT, "mcu_reboots", sentence, f"{reboots} times", "never"))
    # With a start of the microcontroller its counters begin at zero.
    base = before if before.boot == after.boot else LinkHealth(ok=True)
    damaged = after.bad_crc - before.bad_crc
    damaged += after.lost_on_line - base.lost_on_line + after.disordered - base.disordered
    if damaged > DAMAGED_LIMIT:
        sentence = "Messages from the microcontroller are damaged or lost on the cable."
        figure, limit = f"{damaged} messages", f"at most {DAMAGED_LIMIT}"
        found.append(_link(Severity.WARNING, "damaged_messages", sentence, figure, limit))
    if dropped := after.dropped_by_device - base.dropped_by_device:
        sentence = "The microcontroller cannot send all it measures."
        found.append(_link(Severity.WARNING, "device_drops", sentence, f"{dropped} messages", "0"))
    return found


def _link(severity: Severity, kind: str, sentence: str, figure: str, limit: str) -> Finding:
    check = (
        "Push the USB plug home, then try another cable; use a port of the Pi itself and not of a "
        "hub, and relieve the cable of its weight."
    )
    return Finding(severity, "link", kind, sentence, check, figure, limit)
