"""A table in memory that knows its items by their kind, so that reading a few need not look at all."""

from __future__ import annotations

from typing import Any, Self

from precedent.aws.keys import Key


class Kinds(dict[Key, Any]):
    """Key → item. Of what changes a dictionary, `popitem` alone is not seen to."""

    def __init__(self) -> None:
        super().__init__()
        self._by_kind: dict[type, dict[Key, Any]] = {}

    def of(self, kind: type) -> dict[Key, Any]:
        return self._by_kind.get(kind, {})

    def __setitem__(self, key: Key, item: Any) -> None:
        if key in self:
            del self._by_kind[type(self[key])][key]
        super().__setitem__(key, item)
        self._by_kind.setdefault(type(item), {})[key] = item

    def __delitem__(self, key: Key) -> None:
        del self._by_kind[type(self[key])][key]
        super().__delitem__(key)

    def setdefault(self, key: Key, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key: Key, default: Any = None) -> Any:
        item = self.get(key, default)
        if key in self:
            del self[key]
        return item

    def clear(self) -> None:
        self._by_kind.clear()
        super().clear()

    def update(self, *others: Any, **named: Any) -> None:
        for key, item in dict(*others, **named).items():
            self[key] = item

    def __ior__(self, other: Any) -> Self:  # type: ignore[override, misc]
        self.update(other)
        return self
