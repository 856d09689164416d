"""Bluetooth dice: a die that has come to rest tells the table what it shows, and whose it is.

    die -> BlueZ -> radio -> messages -> rolls -> service -> telling -> cmd/roll

Proved against a simulated Bluetooth only; no real die has confirmed it.
"""
