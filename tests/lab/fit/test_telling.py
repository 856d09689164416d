"""What a fit found, in words and as JSON."""

import io
import json
import re
from dataclasses import replace

import pytest

from lab.fit import command as fit
from lab.fit import telling
from lab.fit.assumptions import Agreement, judged
from lab.fit.estimates import Estimate
from lab.fit.evening import EveningSignals
from lab.fit.report import page


@pytest.mark.slow
def test_a_calm_evening_is_told_with_intervals_and_a_verdict(evening: EveningSignals) -> None:
    out = io.StringIO()
    found = fit.fit_of("calm.mcap", evening)
    telling.print_fit(found, out)
    words = " ".join(out.getvalue().split())

    assert found.figures["friction_band_deg"].high < 0.2
    assert found.figures["period_s"].seen
    assert "Intervals hold 90 %" in words
    assert re.search(r"Of \d+ assumptions of our simulation this table agrees with", words)
    assert "not seen in this recording: needs" in words


@pytest.mark.slow
def test_the_document_is_json_without_nan(evening: EveningSignals) -> None:
    document = telling.as_document(fit.fit_of("calm.mcap", evening))

    told = json.loads(json.dumps(document, allow_nan=False))
    assert {each["family"] for each in told["figures"]} >= {"noise", "hands"}
    assert {each["answer"] for each in told["verdicts"]} <= set(Agreement)


@pytest.mark.slow
def test_what_a_table_contradicts_is_named_with_what_follows(evening: EveningSignals) -> None:
    found = fit.fit_of("<b>.mcap", evening)
    odd = judged([Estimate("friction_band_deg", 0.9, 0.8, 1.0, 20)])
    lines = list(telling.closing(replace(found, verdicts=odd)))
    html = page(replace(found, verdicts=odd))

    assert "contradicts 1" in lines[0]
    assert "measured 0.9 (0.8 to 1). Wider: clean and re-point the tip" in lines[1]
    assert "Fit of &lt;b&gt;.mcap" in html
    assert 'class="contradicts"' in html
