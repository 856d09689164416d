"""Writes the results as JUnit XML."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

from controller.common.outputs import write_result
from lab.bench.running import Result


def junit(results: Sequence[Result], left_out: Mapping[str, str] | None = None) -> str:
    """One test suite; one case for each result, with its measurements as properties.

    Args:
        results: what was played.
        left_out: scenarios that were not, each with the reason; they are `skipped`.
    """
    skipped = left_out or {}
    failed = sum(not result.as_it_must_be for result in results)
    known = sum(bool(result.known) and result.as_it_must_be for result in results)
    suite = ET.Element(
        "testsuite",
        name="topple-table bench",
        tests=str(len(results) + len(skipped)),
        failures=str(failed),
        skipped=str(len(skipped) + known),
        time=f"{sum(result.wall_s for result in results):.3f}",
    )
    for result in results:
        name = f"bench.{result.target}"
        case = ET.SubElement(
            suite, "testcase", classname=name, name=result.id, time=f"{result.wall_s:.3f}"
        )
        properties = ET.SubElement(case, "properties")
        for key, value in result.verdict.measures.items():
            ET.SubElement(properties, "property", name=key, value=f"{value:g}")
        if not result.as_it_must_be:
            text = result.complaint
            ET.SubElement(case, "failure", message=text.splitlines()[0]).text = text
        elif result.known:
            # JUnit has no word for it; this is how pytest writes an expected failure.
            text = "\n".join(result.verdict.failures)
            ET.SubElement(case, "skipped", type="pytest.xfail", message=result.known).text = text
    for name, why in skipped.items():
        case = ET.SubElement(suite, "testcase", classname="bench", name=name, time="0")
        ET.SubElement(case, "skipped", message=why)
    ET.indent(suite)
    return ET.tostring(suite, encoding="unicode", xml_declaration=True)


def write_junit(
    results: Sequence[Result], path: Path, left_out: Mapping[str, str] | None = None
) -> None:
    """Write it to a file.

    Raises:
        BadInput: it cannot be written; the message says where it is instead.
    """
    write_result("--junit", path, junit(results, left_out))
