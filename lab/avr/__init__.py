"""The real firmware on a simulated processor, with models of the chips on its pins."""
