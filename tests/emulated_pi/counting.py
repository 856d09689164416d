"""How many instructions a program or a whole machine carries out in QEMU.

They are the measure of cost where processor time is none: an emulated processor's instructions
take as long as this machine happens to need for them.
"""

import subprocess
from array import array
from pathlib import Path

TOOLS = {"qemu-x86_64": "qemu-user"}
"""Program -> Debian package, of what counts those of this machine's programs."""

PLUGIN = Path(__file__).with_name("instructions.c")
LINE, PROCESSORS = 64, 8
"""As in the plugin."""


class InstructionCounter:
    """For one QEMU at a time.

    Args:
        folder: for the plugin, which is compiled here, and its counts; it is made.

    Attributes:
        options: what QEMU has to be started with.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        plugin = folder / "instructions.so"
        subprocess.run(
            ["gcc", "-O2", "-shared", "-fPIC", "-o", str(plugin), str(PLUGIN)], check=True
        )
        self._counts = folder / "instructions"
        self._counts.write_bytes(bytes(LINE * PROCESSORS))
        self.options = ("-plugin", f"{plugin},counts={self._counts}")

    @property
    def total(self) -> int:
        """Of all processors, since this was made."""
        return sum(array("Q", self._counts.read_bytes())[:: LINE // 8])
