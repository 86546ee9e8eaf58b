"""Who is calling: from the authorizer's context only, never from a path, a query or a body."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Request

from precedent.aws.access import NAME, Identity, checked_name
from precedent.consume import Scope
from precedent.errors import Forbidden, Refusal, Unauthenticated


def identity(request: Request) -> Identity:
    """The identity API Gateway vouches for. Raises Unauthenticated: without one the function fails closed."""
    match request.scope.get("aws.event"):
        case {
            "requestContext": {
                "authorizer": {
                    "lambda": {"tenant": str(tenant), "writer": str(writer), "role": role}
                }
            }
        } if role in ("reader", "writer"):
            try:
                checked_name("/tenant", tenant)
                checked_name("/writer", writer)
            except Refusal:
                raise Unauthenticated from None
            return Identity(tenant, writer, role)
    raise Unauthenticated


Caller = Annotated[Identity, Depends(identity)]


def author(caller: Caller) -> Identity:
    """A caller that may write. Raises Forbidden."""
    if caller.role != "writer":
        raise Forbidden(
            f"{caller.writer} may read only. Ask whoever deployed this for a token with the role writer."
        )
    return caller


Author = Annotated[Identity, Depends(author)]


def scope(
    caller: Caller,
    project: Annotated[str, Path(json_schema_extra={"pattern": f"^{NAME.pattern}$"})],
) -> Scope:
    """The caller's tenant and the project of the path. Raises Invalid for a malformed name."""
    return Scope(caller.tenant, checked_name("/project", project))


InScope = Annotated[Scope, Depends(scope)]
