"""What a table's owner does with it: calibrate, try its accuracy, diagnose, flash the firmware."""
