"""From `schematics/pins.yaml` and `schematics/mechanics.yaml` to everything drawn or listed there.

`python -m scripts.schematics` writes; with `--check` it only says what is out of date.
"""
