"""Makes the sounds of a caller pack by speech synthesis: `python -m scripts.caller_pack FOLDER...`.

The words are those of the folder's `caller.toml`; espeak-ng speaks them, lame packs them. With
`--names Ann Bob --` it makes only what is said for these players, in the folder's `names`.
`make caller` makes the packs that are shipped.
"""

import argparse
import io
import subprocess
import tempfile
import tomllib
import wave
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

SPOKEN = [*map(str, range(101)), "200", "300"]
"""Numbers with a sound of their own; the page puts 101 to 399 together."""

WORDS_A_MINUTE = "165"
"""Slightly faster than espeak-ng by itself, since a call is several clips."""

KBIT_S, KHZ = "24", "22.05"
"""MP3 plays in every browser; 24 kbit/s holds all that the synthesiser has, up to 11 kHz."""

SILENT = 0.01
"""Share of the largest amplitude below which the beginning and the end are cut off."""

KEPT_S = 0.03
"""Left of the silence before and after, or consonants would be cut."""


def main() -> None:
    """Make what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--names", nargs="+", default=[], help="of players; nothing else is made")
    wanted = parser.parse_args()
    for folder in wanted.folders:
        text = tomllib.loads((folder / "caller.toml").read_text("utf-8"))
        sounds = dict(_names(wanted.names) if wanted.names else _clips(text))
        for name, words in sounds.items():
            _make(folder / f"{name}.mp3", words, text.get("voice", text["language"]))
        size = sum((folder / f"{name}.mp3").stat().st_size for name in sounds)
        print(f"{folder}: {len(sounds)} sounds, {size / 1000:.0f} kB")


def _clips(text: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str]]:
    yield from text["clips"].items()
    yield from ((number, number) for number in SPOKEN)


def _names(names: list[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        yield f"names/{name}", name


def _make(path: Path, words: str, voice: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    speak = ["espeak-ng", "-v", voice, "-s", WORDS_A_MINUTE, "--stdout", "--", words]
    spoken = subprocess.run(speak, check=True, capture_output=True).stdout  # noqa: S603
    with tempfile.NamedTemporaryFile(suffix=".wav") as trimmed:
        trimmed.write(_without_silence(spoken))
        trimmed.flush()
        pack = ["lame", "--quiet", "-m", "m", "--resample", KHZ, "-b", KBIT_S, "-t"]
        subprocess.run([*pack, trimmed.name, str(path)], check=True)  # noqa: S603


def _without_silence(spoken: bytes) -> bytes:
    """The same sound (WAV, 16 bit, mono) without the silence around it."""
    with wave.open(io.BytesIO(spoken)) as file:
        rate_hz, read = file.getframerate(), file.readframes(file.getnframes())
    # What is written to a pipe has no true length in its header; so it may end within a sample.
    samples = np.frombuffer(read[: len(read) // 2 * 2], dtype="<i2")
    heard = np.flatnonzero(np.abs(samples.astype(int)) > SILENT * np.abs(samples.astype(int)).max())
    margin = round(KEPT_S * rate_hz)
    kept = samples[max(0, heard[0] - margin) : heard[-1] + margin]
    made = io.BytesIO()
    with wave.open(made, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes(kept.tobytes())
    return made.getvalue()


if __name__ == "__main__":
    main()
