"""What the page asks for, read from JSON and checked value by value."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request

from hypertorus.explorer.uploads import bounded

LARGEST = 1 << 20
"""Size of a question in bytes, at most."""
LARGEST_NUMBER = 2**53
"""Numbers are below this, so that each of them is the same in JSON, in a float and in 64 bits."""
MOST = 500
"""Number of results on one page, at most."""


class Asked:
    """The values of a question by name; a wrong one is a sentence.

    >>> asked = Asked({"k": 10, "like": [3, 4], "text": "owl"})
    >>> asked.whole("k", 1, 100), asked.ids("like"), asked.text("text")
    (10, [3, 4], 'owl')
    >>> asked.whole("k", 1, 5)
    Traceback (most recent call last):
    ValueError: k is 10; it must be a whole number from 1 to 5.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    @classmethod
    async def of(cls, request: Request) -> Asked:
        """Read the body of a request."""
        body = b"".join([piece async for piece in bounded(request, LARGEST)])
        try:
            values = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ValueError("the question is not valid JSON; reload the page.") from error
        if not isinstance(values, dict):
            raise ValueError("the question is not an object of JSON; reload the page.")  # noqa: TRY004
        return cls(values)

    def __contains__(self, name: str) -> bool:
        return self.values.get(name) is not None

    def whole(self, name: str, least: int, most: int, default: int | None = None) -> int:
        value = self.values.get(name, default)
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"{name} is {value!r:.40}; it must be a whole number from {least} to {most}.")
        return value

    def number(self, name: str, default: float | None = None) -> float:
        value = self.values.get(name, default)
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not -LARGEST_NUMBER < value < LARGEST_NUMBER
        ):
            raise ValueError(f"{name} is {value!r:.40}; it must be a number.")
        return float(value)

    def flag(self, name: str) -> bool:
        value = self.values.get(name, False)
        if type(value) is not bool:
            raise ValueError(f"{name} is {value!r:.40}; it must be true or false.")
        return value

    def text(self, name: str, default: str | None = None, longest: int = 2000) -> str:
        value = self.values.get(name, default)
        if not isinstance(value, str) or not value.strip() or len(value) > longest:
            raise ValueError(f"{name} is {value!r:.40}; it must be a text of 1 to {longest} characters.")
        return value.strip()

    def ids(self, name: str, most: int = MOST) -> list[int]:
        value = self.values.get(name)
        if not isinstance(value, list) or not 1 <= len(value) <= most or any(type(each) is not int for each in value):
            raise ValueError(f"{name} is {value!r:.40}; it must be a list of 1 to {most} ids.")
        return list(dict.fromkeys(value))

    def part(self, name: str) -> Asked:
        value = self.values.get(name)
        if not isinstance(value, dict):
            raise ValueError(f"{name} is {value!r:.40}; it must be an object of JSON.")  # noqa: TRY004
        return Asked(value)
