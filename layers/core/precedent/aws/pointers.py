"""The pointer of one project, kept in the access table."""

from __future__ import annotations

from precedent.aws.access import Access
from precedent.aws.inventory import DynamoInventory
from precedent.aws.projection import DynamoProjection
from precedent.ports import Pointer

FIRST_GENERATION = "g1"


class AccessPointers:
    """`precedent.ports.Pointers`. `table` is the projection table a new project is given.

    Raises Invalid for a name the access table cannot hold, StoreError where a table does not answer.
    """

    def __init__(self, access: Access, tenant: str, project: str, table: str) -> None:
        self._access = access
        self._tenant = tenant
        self._project = project
        self._table = table

    def read(self) -> Pointer | None:
        return self._access.pointer(self._tenant, self._project)

    def proposed(self, salt: str) -> Pointer:
        return Pointer(self._table, FIRST_GENERATION, salt)

    def ensure(self, salt: str) -> Pointer:
        return self._access.ensure_pointer(self._tenant, self._project, self.proposed(salt))

    def fresh(self, old: Pointer, generation: str) -> Pointer:
        # Not the old pointer's table: a stack deployed anew has another one.
        return Pointer(self._table, generation, old.salt)

    def flip(self, old: Pointer, new: Pointer) -> bool:
        """Point to another table and generation.

        After an unknown outcome the client's repeat answers False for a flip of its own: `read` tells.
        """
        return self._access.flip_pointer(self._tenant, self._project, old, new)

    def open(self, pointer: Pointer) -> DynamoProjection:
        return DynamoProjection(pointer.table, pointer.generation, self._tenant, self._project)

    def inventory(self, pointer: Pointer) -> DynamoInventory:
        return DynamoInventory(pointer.table, pointer.generation, self._tenant, self._project)
