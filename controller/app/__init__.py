"""The running table: put together from its configuration, driven by the clock."""
