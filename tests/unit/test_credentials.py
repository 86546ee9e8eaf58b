"""Secrets are refused by a named rule, and never repeated. Samples are put together here, piece by piece:
none of them stands in this file.
"""

import json

import pytest
from precedent.credentials import RULES, refuse_secrets
from precedent.errors import SecretFound
from precedent.request import parse

HEX, MIXED = "0123456789abcdef" * 8, "aB3dE5gH7jK9mN1pQ2rS" * 8

# rule → (what precedes, the telling part, what follows): a near miss lacks the last character.
SAMPLES = {
    "Private key block": [("-----BEGIN EC ", "PRIVATE KEY----", "-")],
    "GitHub fine-grained token": [("github", "_pat_", MIXED[:60])],
    "Google API key": [("AI", "za", MIXED[:35])],
    "Model provider key": [("sk-", "ant-", MIXED[:20]), ("sk-", "proj-", MIXED[:20])],
    "Hugging Face token": [("h", "f_", MIXED[:30])],
    "Slack app token": [("xa", "pp-1-", MIXED[:20])],
    "Precedent token": [("pc", "t_", MIXED[:40])],
    "AWS Access Key": [("AK", "IA", "ABCDEFGH12345678"), ("aws_token = '", MIXED[:40], "'")],
    "Azure Storage Account access key": [("Account", "Key=", MIXED[:88])],
    "Discord Bot Token": [("M", MIXED[:23] + "." + MIXED[:6] + ".", MIXED[:27])],
    "GitHub Token": [("gh", "p_", MIXED[:36])],
    "GitLab Token": [("gl", "pat-", MIXED[:20]), ("gl", "ptt-", MIXED[:40])],
    "NPM tokens": [("//registry.example/", ":_auth" + "Token=npm_", "x")],
    "OpenAI Token": [("s" + "k-", MIXED[:20] + "T3Blbk" + "FJ", MIXED[:20])],
    "PyPI Token": [("py" + "pi-", "AgEIcHlw" + "aS5vcmc", MIXED[:70])],
    "SendGrid API Key": [("S" + "G.", MIXED[:22] + ".", MIXED[:43])],
    "Slack Token": [("xo" + "xb-", "1-", "a")],
    "Stripe Access Key": [("sk" + "_li", "ve_", MIXED[:24])],
    "Telegram Bot Token": [("123456", "789:", MIXED[:35])],
}
CASES = [(rule, "".join(parts)) for rule, samples in SAMPLES.items() for parts in samples]


def found(text):
    with pytest.raises(SecretFound) as refused:
        refuse_secrets({"rationale": f"We use {text} here."}, "/decision")
    return refused.value


def test_every_rule_has_a_sample():
    assert {name for name, _ in RULES} == SAMPLES.keys()


@pytest.mark.parametrize(("rule", "secret"), CASES, ids=[rule for rule, _ in CASES])
def test_a_secret_is_refused_by_rule_and_field_and_not_repeated(rule, secret):
    refused = found(secret)
    assert refused.members == {"field": "/decision/rationale", "rule": rule}
    assert secret not in json.dumps(refused.problem())


@pytest.mark.parametrize(("rule", "secret"), CASES, ids=[rule for rule, _ in CASES])
def test_a_near_miss_is_text_like_any_other(rule, secret):
    refuse_secrets({"rationale": secret[:-1]}, "/decision")


@pytest.mark.parametrize(
    "text",
    [
        "Rotate the key in AWS every 90 days; the token lives in the vault.",
        "commit " + HEX[:40],
        "sk-learn is not used; ghp and glpat are prefixes.",
        "-----BEGIN CERTIFICATE-----",
        "pct_ tokens are stored as hashes",
        "https://hooks.slack.com/services/ is blocked",
    ],
)
def test_prose_about_secrets_is_no_secret(text):
    refuse_secrets(text, "")


SECRET = "".join(SAMPLES["GitHub Token"][0])
ATTACHED = {"op": "upsert_element", "kind": "topic", "name": "x"}


@pytest.mark.parametrize(
    "request_of",
    [
        lambda s: {"decision": {"title": s, "mutations": [ATTACHED]}},
        lambda s: {"decision": {"title": "T", "mutations": [{**ATTACHED, "name": s}]}},
        lambda s: {"decision": {"title": "T", "mutations": [{**ATTACHED, "props": {s: 1}}]}},
        lambda s: {"decision": {"title": "T", "mutations": [{**ATTACHED, "props": {s: {}}}]}},
        lambda s: {"decision": {"title": "T", "mutations": [{**ATTACHED, "props": {"k": [s]}}]}},
        lambda s: {"decision": {"title": "T", "mutations": [{**ATTACHED, "props": {s: 1}}] * 2}},
        lambda s: {"decision": {"title": "T", "refs": [{"rel": "x", "url": s}]}},
        lambda s: {"decision": {"title": "T", s: 1}},
        lambda s: {"decision": {"title": "T", "outcome": s}},
        lambda s: {"decision": {"title": "T", "date": s}},
        lambda s: {"decision": {"title": "T", "mutations": [ATTACHED]}, "key": s},
        lambda s: {"decision": {"title": "T"}, "circumstances": {"branch": s}},
        lambda s: {"decisions": [{"title": "T"}, {"title": "U", "rationale": s}]},
    ],
)
def test_wherever_in_a_request_a_secret_stands_it_is_found_before_anything_else(request_of):
    with pytest.raises(SecretFound) as refused:
        parse(json.dumps(request_of(SECRET)).encode())
    assert SECRET not in json.dumps(refused.value.problem())
