"""Coroutines run to their end from a test, whatever else runs in its thread."""

import asyncio
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def finished(awaited: Awaitable[Any]) -> Any:
    """What it returns.

    In a thread of its own: a browser that another test has left open holds the loop of this one.
    """

    async def result() -> Any:
        return await awaited

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, result()).result()
