"""docs/security.md, claim by claim: which test would notice if it were false.

A claim is a row of a table, a point of a list or a line of text. It is named by the words it begins
with; a claim that is in the document and not here fails, and so does one the other way round. What
no other test holds is held in `tests/deploy/test_security_claims.py`.
"""

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]

WORDS = "only words: it promises nothing of ours"

ROLES = "tests/deploy/test_broker_roles.py"
PLACES = "tests/deploy/test_broker_places.py"
QUEUES = "tests/deploy/test_broker_queues.py"
OWN = "tests/deploy/test_security_claims.py"
BROKER = "tests/controller/mqtt/test_broker.py"
PLAY = "tests/pages/phone/test_play.py"
GUARD = "tests/pages/test_guard.py"
LIVE = "tests/controller/table/test_loop.py"
DOOR = "tests/pages/test_connection_limits.py"
FUZZ = "tests/fuzz/test_fuzz.py"
FRAMING = "tests/firmware_bridge/test_framing.py"
SERVICES = f"{OWN}::test_a_service_reaches_and_reads_what_it_must"

CLAIMS: dict[str, str | tuple[str, ...]] = {
    "A table stands at home or at a club": WORDS,
    "Each claim has a test": WORDS,
    "the game (nobody scores": WORDS,
    # What runs where.
    "table (`topple-table.service`)": (f"{OWN}::test_a_table_as_installed_opens_no_port", SERVICES),
    "pages (`topple-table-scoreboard.service`)": (
        SERVICES, "tests/deploy/test_files.py::test_the_pages_run_as_somebody_else_than_the_table",
    ),
    "broker (Debian's Mosquitto)": (
        f"{ROLES}::test_a_role_hears_what_it_may_and_nothing_else",
        f"{ROLES}::test_a_role_is_heard_where_it_may_speak_and_nowhere_else",
        f"{PLACES}::test_what_guests_can_reach_is_not_where_the_table_and_its_pages_connect",
    ),
    "league, if wanted": (SERVICES, f"{OWN}::test_a_league_opens_no_port"),
    "Bluetooth dice, if wanted": (SERVICES, f"{OWN}::test_dice_open_no_port"),
    "kiosk, if wanted": (SERVICES,),
    "`systemd-analyze security --offline=yes`": (
        f"{OWN}::test_the_figures_of_exposure_are_what_systemd_says",
    ),
    "table **1.7**": (
        f"{OWN}::test_the_figures_of_exposure_are_what_systemd_says",
        "tests/deploy/test_files.py::test_a_unit_exposes_little",
        ("tests/deploy/test_files.py"
        "::test_only_the_table_may_go_before_ordinary_programs_and_no_further_than_it_does"),
        "tests/deploy/test_files.py::test_debians_broker_with_our_addition_exposes_little",
    ),
    "Passwords are made by the installer": (
        f"{OWN}::test_each_role_gets_a_password_of_its_own_that_only_its_user_can_read",
    ),
    "none stands in the configuration": (
        f"{OWN}::test_each_role_gets_a_password_of_its_own_that_only_its_user_can_read",
        "tests/pages/health/test_support.py::test_no_password_and_no_place_of_one_is_in_a_bundle",
        "tests/controller/mqtt/test_client.py::test_a_refused_password_is_said_without_showing_it",
    ),
    # Four attackers: a guest.
    "**A guest on the Wi-Fi** | to publish": (
        f"{BROKER}::test_nobody_comes_in_without_a_password",
    ),
    "to take every place at the broker": (
        f"{PLACES}::test_a_table_and_its_pages_find_a_place_when_guests_have_taken_all_of_theirs",
        f"{PLACES}::test_there_are_files_for_every_place",
    ),
    "to take all connections of the pages": (
        f"{DOOR}::test_a_crowd_that_only_connects_takes_neither_the_own_screen_nor_the_journal",
        f"{DOOR}::test_one_address_has_its_share_and_leaves_the_rest_to_others",
        f"{DOOR}::test_who_asks_for_nothing_is_sent_away_and_who_is_answered_is_not",
        f"{DOOR}::test_a_flood_is_one_line_a_minute",
    ),
    "to see the PIN through a proxy": (
        f"{PLAY}::test_who_comes_through_a_proxy_on_this_machine_is_not_the_own_screen",
        ("tests/pages/scoreboard/test_screen.py"
        "::test_no_address_of_this_machine_and_no_guess_is_proof"),
    ),
    "to take a support bundle": (
        ("tests/pages/test_pages_health.py"
        "::test_a_guest_is_offered_no_support_bundle_and_gets_none"),
    ),
    "to flood broker or pages": (
        f"{OWN}::test_limits_of_the_broker_are_those_of_its_configuration",
        f"{OWN}::test_a_packet_that_is_too_large_ends_its_connection_and_no_other",
        f"{QUEUES}::test_a_display_that_slept_through_more_than_any_queue_holds_gets_the_newest_all_the_same",
        f"{LIVE}::test_a_storm_of_commands_is_bounded_and_who_had_no_room_is_told",
        f"{LIVE}::test_a_storm_of_commands_does_not_keep_the_detection_waiting",
        f"{OWN}::test_memory_and_tasks_of_every_service_are_limited_and_it_is_started_again",
    ),
    "to act as a player": (
        f"{PLAY}::test_only_the_own_screen_and_phones_that_joined_see_the_pin",
        f"{PLAY}::test_wrong_pins_are_counted_and_then_refused_for_a_while",
        "tests/pages/phone/test_pin.py::test_many_clients_together_are_stopped_as_well",
        f"{PLAY}::test_without_a_session_nothing_is_sent",
    ),
    # A malicious web page.
    "**A malicious web page** open": (
        f"{OWN}::test_no_browser_can_speak_to_the_broker",
    ),
    "to press buttons on our pages": (
        f"{GUARD}::test_a_page_of_somebody_else_may_not",
        f"{GUARD}::test_what_a_form_can_send_is_refused",
        f"{PLAY}::test_a_cross_site_request_is_refused_whatever_it_carries",
        f"{PLAY}::test_the_pin_opens_and_the_cookie_is_for_this_table_and_for_no_script",
        ("tests/pages/test_phone_pages.py"
        "::test_a_page_of_somebody_else_cannot_act_with_the_phones_cookie"),
        "tests/pages/test_app.py::test_every_answer_carries_the_security_headers",
        "tests/pages/test_app.py::test_pages_are_html_and_name_no_other_host",
    ),
    "to put script into names": (
        "tests/pages/test_pages.py::test_a_name_is_text_whatever_it_says",
        "tests/pages/test_app.py::test_no_script_writes_markup_or_speaks_to_another_host",
        "tests/pages/test_app.py::test_every_answer_carries_the_security_headers",
    ),
    "to choke broker, terminal or log by names": (
        "tests/engine/referee/test_admission.py::test_such_a_name_comes_in_nowhere",
        ("tests/controller/mqtt/test_topics.py"
        "::test_results_above_their_promised_size_are_no_publication"),
    ),
    # A stolen display password.
    "**A stolen display password** (an ESP32": (
        f"{ROLES}::test_a_role_is_heard_where_it_may_speak_and_nowhere_else",
        f"{ROLES}::test_a_last_will_has_no_more_rights_than_a_message",
    ),
    "to hear the answers to somebody else": (
        f"{ROLES}::test_a_display_that_takes_another_clients_id_hears_none_of_its_answers",
    ),
    "to push the table or the pages off": (
        f"{ROLES}::test_a_display_cannot_push_the_table_off_by_taking_its_id",
        ("tests/controller/app/test_run_tables.py"
        "::test_a_table_comes_back_with_the_client_id_that_it_had_and_nobody_can_guess_it"),
        "tests/controller/mqtt/test_client_ids.py::test_an_ending_that_others_could_read_is_replaced",
    ),
    "to fill the broker with retained messages": (
        f"{ROLES}::test_a_role_is_heard_where_it_may_speak_and_nowhere_else",
        f"{OWN}::test_memory_and_tasks_of_every_service_are_limited_and_it_is_started_again",
        "tests/controller/mqtt/test_client.py::test_after_a_broker_restart_all_is_announced_again",
        ("tests/controller/table/test_clients.py"
        "::test_memory_is_bounded_and_those_who_are_there_are_still_heard"),
    ),
    # A fuzzed serial device.
    "**A fuzzed serial device** in place": (
        f"{FRAMING}::test_after_any_garbage_the_next_frame_is_read",
        f"{FRAMING}::test_endless_noise_without_a_zero_takes_no_memory_and_counts_once",
        f"{FRAMING}::test_no_single_damaged_bit_passes_for_a_frame",
        ("tests/firmware_bridge/test_greeting.py"
        "::test_any_other_firmware_is_refused_and_its_id_named"),
    ),
    "to act as keyboard or disk": (SERVICES,),
    # What is not defended.
    "Whoever holds the Pi": WORDS,
    "Recordings of evenings": WORDS,
    "Profiles (only of players who": (
        "tests/pages/phone/test_play.py::test_names_and_records_are_for_those_at_the_table",
        "tests/pages/phone/test_profiles.py::test_they_are_there_after_a_restart_and_gone_when_deleted",
    ),
    "The PIN for phones is also written": WORDS,
    "`calibrate --phone`, `accuracy-test --phone`": (
        ("tests/pages/prompts/test_prompt_page.py"
        "::test_who_has_only_the_address_may_watch_and_is_told_so"),
        ("tests/pages/prompts/test_prompt_page.py"
        "::test_the_key_is_said_only_where_the_table_stands"),
        f"{OWN}::test_limits_are_those_of_the_programs",
    ),
    "A controller that knows the broker's": (
        "tests/pages/test_app.py::test_no_script_writes_markup_or_speaks_to_another_host",
        SERVICES,
    ),
    "TLS is not set up": WORDS,
    "The embedded broker of the demo": (
        f"{BROKER}::test_the_embedded_broker_listens_on_this_machine_only",
    ),
    "You start updates yourself": (f"{OWN}::test_nothing_updates_itself",),
    # Do this when.
    "a display was lost": (
        f"{OWN}::test_a_password_that_was_taken_away_is_made_anew_and_the_others_stay",
    ),
    "somebody knows the PIN": (f"{PLAY}::test_a_new_pin_from_the_screen_sends_everybody_away",),
    "you are not sure about anything": (
        "tests/controller/doctor/test_stored_files.py::test_a_password_is_for_one_user",
        "tests/controller/doctor/test_services.py::test_pages_are_ours_or_anothers_or_missing",
    ),
    # Limits.
    "frame on the serial line": (
        f"{OWN}::test_limits_are_those_of_the_programs",
        f"{FRAMING}::test_endless_noise_without_a_zero_takes_no_memory_and_counts_once",
    ),
    "MQTT command": (
        f"{OWN}::test_limits_are_those_of_the_programs",
        "tests/controller/table/test_commands.py::test_what_is_no_command_is_refused_and_answers_nobody",
        f"{LIVE}::test_a_storm_of_commands_is_bounded_and_who_had_no_room_is_told",
    ),
    "other MQTT messages": (
        f"{OWN}::test_limits_are_those_of_the_programs",
        "tests/controller/mqtt/test_client.py::test_only_fresh_commands_of_sane_size_are_obeyed",
        "tests/pages/test_mirror.py::test_a_publisher_gone_mad_cannot_fill_the_memory",
    ),
    "request of a phone": (
        f"{OWN}::test_limits_are_those_of_the_programs",
        f"{PLAY}::test_no_body_is_too_strange",
        f"{PLAY}::test_wrong_pins_are_counted_and_then_refused_for_a_while",
        f"{OWN}::test_a_request_that_dribbles_in_is_given_up",
    ),
    "connections to the pages": (
        f"{DOOR}::test_guests_leave_some_places_to_this_machine_and_all_together_have_an_end",
        f"{DOOR}::test_addresses_that_one_device_can_choose_from_are_counted_together",
    ),
    "event streams": (
        "tests/pages/test_feed.py::test_too_many_browsers_are_told_so",
    ),
    "configuration, scenario": (
        f"{OWN}::test_a_scenario_without_an_end_is_refused",
        f"{OWN}::test_limits_are_those_of_the_programs",
        ("tests/controller/common/test_config.py"
        "::test_a_file_that_cannot_be_a_configuration_is_not_read_to_its_end"),
    ),
    "calibration; line of a game record": (
        f"{OWN}::test_limits_are_those_of_the_programs",
        "tests/controller/common/test_files.py::test_a_file_over_the_limit_is_refused_with_its_name",
        "tests/controller/common/test_files.py::test_lines_come_one_by_one_and_a_long_one_is_named",
    ),
    "recording": (
        f"{OWN}::test_limits_are_those_of_the_programs",
        "tests/hw/traces/test_mcap_stream.py::test_a_chunk_that_unpacks_to_more_than_memory_is_damage",
        ("tests/hw/traces/test_recording.py"
        "::test_a_time_that_cannot_be_is_left_out_and_told_and_nobody_waits_for_it"),
    ),
    "words of a refusal": (
        f"{OWN}::test_limits_are_those_of_the_programs",
        "tests/controller/common/test_files.py::test_words_are_cut_only_when_too_long",
    ),
    # Whole sections.
    "## Fuzzing": (
        f"{FUZZ}::test_no_spoilt_input_gets_the_better_of_a_parser",
        f"{FUZZ}::test_no_byte_on_the_line_gets_the_better_of_the_firmware",
        f"{FUZZ}::test_firmware_that_writes_past_its_buffer_is_found",
    ),
    "## Dependencies": (
        "tests/deploy/test_lock.py::test_every_locked_package_has_hashes_and_one_version_in_all_locks",
        ("tests/deploy/test_lock.py"
        "::test_what_the_project_asks_for_is_locked_in_a_version_it_accepts"),
    ),
}  # fmt: skip

WHOLE = ("## Fuzzing", "## Dependencies")
"""Sections that tell of one thing: their figures are records of a day, not promises."""


def claims() -> list[str]:
    """The claims of the document, each beginning with its own words."""
    found: list[str] = []
    sections = re.split(r"(?m)^(?=## )", (ROOT / "docs/security.md").read_text())
    for section in sections:
        lines = [line.strip() for line in section.splitlines()]
        if lines[0] in WHOLE:
            found.append(lines[0])
            continue
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            is_head = following.startswith("|---") or line.startswith(("#", "|---"))
            if line and not is_head:
                found.append(" | ".join(cell for cell in _cells(line) if cell))
    return found


def _cells(line: str) -> list[str]:
    if line.startswith("|"):
        return [cell.strip() for cell in line.strip("|").split("|")]
    return [line.removeprefix("- ")]


@cache
def functions_in(file: str) -> dict[str, bool]:
    """The functions of a file; false for tests that `make test` leaves out."""
    tree = ast.parse((ROOT / file).read_text())
    return {
        node.name: not any("soak" in ast.unparse(mark) for mark in node.decorator_list)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_every_claim_has_a_test_and_every_test_here_a_claim() -> None:
    said = claims()
    unknown = [claim for claim in said if not any(claim.startswith(known) for known in CLAIMS)]
    stale = [known for known in CLAIMS if not any(claim.startswith(known) for claim in said)]

    assert unknown == [], "name the test that would notice if it were false"
    assert stale == [], "the document no longer says so"


def test_no_claim_hides_behind_another() -> None:
    assert len(claims()) == len(CLAIMS)


def test_the_tests_that_are_named_exist_and_are_run() -> None:
    named = {test for tests in CLAIMS.values() if not isinstance(tests, str) for test in tests}
    missing = [
        test
        for test in sorted(named)
        if not functions_in(test.split("::")[0]).get(test.split("::")[1])
    ]

    assert missing == []
    assert all(tests for tests in CLAIMS.values())
