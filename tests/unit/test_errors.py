"""The vocabulary of refusals: each has one problem type, and each is met in a test here."""

import json
import re

import pytest
from precedent import errors
from precedent.errors import Refusal

PROBLEMS = {
    errors.Invalid: ("invalid", 422, errors.Invalid("/a", "is wrong")),
    errors.TooLarge: ("too-large", 422, errors.TooLarge("/a", 1, 2, "items")),
    errors.DigestTooLarge: ("too-large", 409, errors.DigestTooLarge(1, 2)),
    errors.PastTooLong: ("too-large", 422, errors.PastTooLong(1)),
    errors.TooManyUnanchored: ("too-large", 422, errors.TooManyUnanchored(1, 2)),
    errors.SecretFound: ("secret", 422, errors.SecretFound("/a", "A rule")),
    errors.SlotSetTwice: ("slot-set-twice", 422, errors.SlotSetTwice(1, "a:b", "p:x")),
    errors.UnseenHead: ("unseen-head", 409, errors.UnseenHead([])),
    errors.UnknownDecision: ("unknown-decision", 409, errors.UnknownDecision(["d_x"])),
    errors.KeyReused: ("key-reused", 409, errors.KeyReused("k")),
    errors.NotFound: ("not-found", 404, errors.NotFound("Look elsewhere.")),
    errors.Unauthenticated: ("unauthenticated", 401, errors.Unauthenticated()),
    errors.Forbidden: ("forbidden", 403, errors.Forbidden("Ask for the role.")),
    errors.Unavailable: ("unavailable", 503, errors.Unavailable("Send it again.")),
    errors.LogTruncated: ("log-truncated", 503, errors.LogTruncated("alice.laptop", 5, 7)),
    errors.Failed: ("failed", 500, errors.Failed("Tell the operator.")),
}


def refusals(kind=Refusal):
    return {kind, *(deeper for one in kind.__subclasses__() for deeper in refusals(one))} - {
        Refusal
    }


def test_every_refusal_is_listed_here():
    assert refusals() == PROBLEMS.keys()


@pytest.mark.parametrize(("name", "status", "refusal"), PROBLEMS.values())
def test_a_refusal_is_a_problem_of_its_own_type(name, status, refusal):
    problem = refusal.problem()
    assert problem["type"] == f"urn:precedent:error:{name}"
    assert problem["status"] == status
    assert problem["title"]
    assert re.search(r"[.}]$|: .", problem["detail"]), "says what is wrong or what to do next"
    assert json.loads(json.dumps(problem)) == problem


def test_members_of_a_problem_do_not_hide_its_standard_ones():
    for _, _, refusal in PROBLEMS.values():
        assert not refusal.members.keys() & {"type", "title", "status", "detail", "request_id"}
