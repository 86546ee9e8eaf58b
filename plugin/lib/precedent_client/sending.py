"""Recording: onto this machine's disk first, then to the service, and off the disk once it has answered."""

from __future__ import annotations

from typing import Any

from precedent_client import flusher, session
from precedent_client.faults import Fault, Forbidden, NotAllowed, Refused, Unreachable
from precedent_client.service import Answer, Service
from precedent_client.spool import Held, Spool, login_of
from precedent_client.turn import Turn

KEPT = (
    "Nothing is lost: it is kept on this machine and will be sent by itself. `precedent spool list` "
    "shows what waits, `precedent spool retry` sends it now. There is no need to record it again."
)
KEPT_FOR_THIS_LOGIN = (
    "Nothing is lost: it is kept on this machine, bound to this token, and is sent by itself once the "
    "token is accepted. With a new token of yours: `precedent spool retry --mine {0}`. There is no need "
    "to record it again."
)
NOT_KEPT = (
    "Whether it was recorded is not known, and it could not be kept on this machine ({0}). To send it "
    "again without recording it twice, add: --key {1}"
)


def record(service: Service, request: dict[str, Any]) -> Answer:
    """The service's answer to a request. Raises the Fault of a refusal, and of what is only kept as yet."""
    answer = _kept_and_sent(service, request)
    answer_for_turn("recorded")
    return answer


def answer_for_turn(how: str) -> None:
    """The turn has been answered for: nobody need be asked. Without a session, or a disk, they are."""
    found = session.session_id()
    try:
        if found is not None:
            Turn(found).answer(how)
    except OSError:
        pass


def _kept_and_sent(service: Service, request: dict[str, Any]) -> Answer:
    try:
        config = service.config
        login = login_of(config.url, config.token)
        held = Spool().keep(config.url, config.project, request, login)
    except OSError as error:
        return _unkept(service, request, str(error.strerror or error))
    return _sent(service, request, held)


def _sent(service: Service, request: dict[str, Any], held: Held) -> Answer:
    try:
        # Nobody waits for long: it is kept, and sent in the background.
        answer = service.hurried().record(request)
    except (Refused, Forbidden):
        held.done()  # whoever recorded it reads the refusal, and decides
        raise
    except (Unreachable, NotAllowed) as fault:
        held.leave()
        answer_for_turn("kept")
        if isinstance(fault, NotAllowed):
            raise _and(fault, KEPT_FOR_THIS_LOGIN.format(held.name)) from None
        flusher.start()
        raise _and(fault, KEPT) from None
    else:
        held.done()
        return answer
    finally:
        held.leave()  # interrupted: it stays


def _unkept(service: Service, request: dict[str, Any], why: str) -> Answer:
    try:
        return service.record(request)
    except Forbidden:
        raise
    except (Unreachable, NotAllowed) as fault:
        raise _and(fault, NOT_KEPT.format(why, request["key"])) from None


def _and(fault: Fault, what: str) -> Fault:
    # Without the advice to run the command again.
    trouble = fault.message.partition("\n")[0]
    return type(fault)(f"{trouble}\n{what}", fault.name, fault.problem)
