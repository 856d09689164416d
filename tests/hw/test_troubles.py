from engine.trouble import Trouble
from firmware_bridge.troubles import NOT_THERE
from hw.troubles import IMU_FORGETS, of_link, words_of


def test_a_trouble_of_the_line_keeps_code_arguments_and_sentence() -> None:
    said = NOT_THERE(port="ttyUSB0")

    assert of_link(said) == Trouble("mcu_not_there", said.english, {"port": "ttyUSB0"})
    assert of_link(said).sentence == said.sentence


def test_a_health_document_without_trouble_has_no_words_and_no_code() -> None:
    assert words_of(None) == {"words": "", "code": "", "args": {}}
    assert words_of(IMU_FORGETS())["code"] == "imu_forgets"
