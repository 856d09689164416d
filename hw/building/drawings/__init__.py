"""The mechanical drawings of a build: sheets to print, plates to cut, every hole in numbers."""
