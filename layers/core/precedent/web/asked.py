"""What recall is asked: the same names in a query and in a body. Unknown names are refused."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from precedent.element import Name, parse_name

ELEMENT_LIMIT = 100
"""Elements one recall may name."""


class Asked(BaseModel):
    """Elements as `kind:name`, and where the page before ended."""

    model_config = ConfigDict(extra="forbid")

    element: Annotated[list[str], Field(min_length=1, max_length=ELEMENT_LIMIT)]
    cursor: Annotated[str | None, Field(max_length=4096)] = None

    def names(self) -> list[Name]:
        """The asked elements, each once, in order. Raises Invalid or TooLarge."""
        names = [parse_name(text, f"/element/{n}") for n, text in enumerate(self.element)]
        return list({name.id: name for name in names}.values())
