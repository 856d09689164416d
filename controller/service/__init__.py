"""Commands for the table's owner: calibrate, test the accuracy, diagnose, flash the firmware."""
