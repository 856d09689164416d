"""Writes a diagnosis: tables and sentences for people, one JSON object for programs."""

import math
from dataclasses import asdict
from typing import Any, TextIO

import msgspec
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from controller.common.terminal import console_on
from controller.workshop.diagnose.core.findings import CellFigures, Diagnosis, Finding, Severity
from engine.tabletop import load_cell_name

STYLES = {Severity.FAULT: "bold red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}
INDENT = (0, 0, 0, 4)
GUESSED = "Not calibrated yet: judged by the drawing; grams are a guess, zeros are of this rest."


def print_report(found: Diagnosis, out: TextIO, *, simulated: bool) -> None:
    """The report for people."""
    console = console_on(out)
    watched = f"Watched {'a simulated table' if simulated else 'the table'} {_span(found)}."
    console.print(watched, style="dim")
    if not found.calibrated:
        console.print(GUESSED, style="yellow")
    console.print()
    console.print(_cells(found))
    if len(found.cells) > 1:
        console.print(_imu(found))
    if found.friction_deg is not None:
        console.print(f"\nThe pivot sticks within {found.friction_deg:.2f} degrees (aim: 0.25).")
    console.print()
    for finding in found.findings:
        _print_finding(console, finding)
    style = "bold green" if found.healthy else "bold"
    console.print(Text(found.verdict, style=style))


def _span(found: Diagnosis) -> str:
    asked = len(found.tried)
    and_asked = f", then asked {asked} times for a press" if asked else ", nobody touching it"
    return f"for {found.seconds:.0f} s at rest{and_asked}"


def _cells(found: Diagnosis) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("load cell")
    for column in ("rate /s", "noise counts", "noise g", "drift g/min", "load g", "resets", "bad"):
        table.add_column(column, justify="right")
    table.add_column("")
    for cell, figures in enumerate(found.cells):
        table.add_row(
            load_cell_name(cell),
            *_row(figures),
            _state(found, f"scale.{cell}"),
        )
    return table


def _row(figures: CellFigures) -> tuple[str, ...]:
    return (
        _number(figures.rate_hz, ".1f"),
        _number(figures.noise_counts, ".0f"),
        _number(figures.noise_g, ".3f"),
        _number(figures.drift_g_min, "+.2f"),
        _number(figures.load_g, "+.1f"),
        str(figures.resets),
        str(figures.corrupt + figures.saturated),
    )


def _worst(found: Diagnosis, sensor: str) -> Severity | None:
    about = [f for f in found.findings if f.sensor == sensor or sensor in f.also]
    if sensor.startswith("scale."):
        about += [f for f in found.findings if f.sensor == "scale"]
    return about[0].severity if about else None


def _imu(found: Diagnosis) -> Table:
    imu = found.imu
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("inertial sensor")
    columns = ("rate /s", "feels g", "askew deg", "noise mg", "noise deg/s", "bias deg/s", "warm C")
    for column in columns:
        table.add_column(column, justify="right")
    table.add_column("")
    table.add_row(
        "imu",
        _number(imu.rate_hz, ".1f"),
        _number(imu.accel_norm_g, ".3f"),
        _number(imu.tilt_error_deg, ".1f"),
        _number(1000 * imu.accel_noise_g, ".1f"),
        _number(imu.gyro_noise_dps, ".2f"),
        _number(max(imu.bias_dps, key=abs), "+.2f"),
        _number(math.nan if imu.temperature_c is None else imu.temperature_c, ".0f"),
        _state(found, "imu"),
    )
    return table


def _state(found: Diagnosis, sensor: str) -> Text:
    worst = _worst(found, sensor)
    return Text(worst.value if worst else "ok", style=STYLES[worst] if worst else "green")


def _print_finding(console: Console, finding: Finding) -> None:
    console.print(
        Text(f"{finding.severity.value.upper()}  ", style=STYLES[finding.severity]), end=""
    )
    console.print(Text(finding.sentence))
    if finding.check:
        console.print(Padding(Text(finding.check), INDENT))
    if finding.figure:
        limit = f"; accepted: {finding.limit}" if finding.limit else ""
        console.print(
            Padding(Text(f"Measured: {finding.figure}{limit}.", style="dim"), (0, 0, 0, 4))
        )
    console.print()


def _number(value: float, form: str) -> str:
    return "-" if math.isnan(value) else format(value, form)


def json_line(found: Diagnosis) -> str:
    """The whole diagnosis as one line of JSON; null where nothing was measured."""
    document = {
        "healthy": found.healthy,
        "verdict": found.verdict,
        "calibrated": found.calibrated,
        "seconds": found.seconds,
        "tried": found.tried,
        "findings": [asdict(finding) for finding in found.findings],
        "cells": [asdict(figures) for figures in found.cells],
        "imu": asdict(found.imu),
        "friction_deg": found.friction_deg,
    }
    return msgspec.json.encode(_plain(document)).decode()


def _plain(value: Any) -> Any:
    """Without what JSON cannot say; figures to five digits."""
    if isinstance(value, float):
        return None if math.isnan(value) else float(f"{value:.5g}")
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value
