"""Each function's role as deployed: it may do what its function does, and nothing else was left open."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from local import deploy

KEY = "t/acme/permissions/log/alice.laptop/{:012d}.jsonl"
FUNCTIONS = [
    "append",
    "recall",
    "browse",
    "export",
    "feedback",
    "projector",
    "sweep",
    "rebuild",
    "rebuildshare",
    "pack",
    "authorizer",
]
LOG_READERS = ["append", "export", "projector", "sweep", "rebuild", "rebuildshare", "pack"]


def client(stack: Any, function: str, service: str) -> Any:
    return stack.as_function(function).client(service, endpoint_url=stack.url)


def refused(call: Any, **arguments: Any) -> str:
    """The error code a call is refused with; fails if it is let through."""
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    return str(caught.value.response["Error"]["Code"])


@pytest.fixture(scope="module", autouse=True)
def _roles_are_known(stack: Any) -> None:
    """A role's credentials exist from its function's first call on, whatever came of the call."""
    for function in FUNCTIONS:
        stack.client("lambda").invoke(
            FunctionName=stack.deployed.functions[function], Payload=b"{}"
        )


@pytest.fixture(scope="module")
def entry(stack: Any) -> str:
    key = KEY.format(1)
    stack.client("s3").put_object(Bucket=stack.log_bucket, Key=key, Body=b"{}\n", IfNoneMatch="*")
    return key


def test_append_writes_only_what_cannot_replace(stack: Any) -> None:
    s3 = client(stack, "append", "s3")
    key = KEY.format(100)
    assert refused(s3.put_object, Bucket=stack.log_bucket, Key=key, Body=b"x") == "AccessDenied"
    s3.put_object(Bucket=stack.log_bucket, Key=key, Body=b"{}\n", IfNoneMatch="*")
    again = refused(s3.put_object, Bucket=stack.log_bucket, Key=key, Body=b"x", IfNoneMatch="*")
    assert again == "PreconditionFailed"
    assert s3.get_object(Bucket=stack.log_bucket, Key=key)["Body"].read() == b"{}\n"


def test_append_writes_only_into_the_log(stack: Any) -> None:
    s3 = client(stack, "append", "s3")
    outside = refused(
        s3.put_object, Bucket=stack.log_bucket, Key="elsewhere/1", Body=b"x", IfNoneMatch="*"
    )
    assert outside == "AccessDenied"


@pytest.mark.parametrize("function", [name for name in FUNCTIONS if name != "append"])
def test_nobody_else_writes_to_the_log(stack: Any, function: str) -> None:
    s3 = client(stack, function, "s3")
    put = refused(
        s3.put_object, Bucket=stack.log_bucket, Key=KEY.format(200), Body=b"x", IfNoneMatch="*"
    )
    assert put == "AccessDenied"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_nobody_deletes_from_the_log(stack: Any, entry: str, function: str) -> None:
    s3 = client(stack, function, "s3")
    assert refused(s3.delete_object, Bucket=stack.log_bucket, Key=entry) == "AccessDenied"


@pytest.mark.parametrize("function", LOG_READERS)
def test_who_reads_the_log(stack: Any, entry: str, function: str) -> None:
    s3 = client(stack, function, "s3")
    assert s3.get_object(Bucket=stack.log_bucket, Key=entry)["Body"].read() == b"{}\n"
    assert s3.list_objects_v2(Bucket=stack.log_bucket, Prefix="t/acme/")["KeyCount"] >= 1
    missing = refused(s3.get_object, Bucket=stack.log_bucket, Key=KEY.format(999))
    assert missing == "NoSuchKey"  # not AccessDenied: the end of the log has to be recognisable
    assert refused(s3.list_objects_v2, Bucket=stack.log_bucket, Prefix="x/") == "AccessDenied"


@pytest.mark.parametrize("function", ["recall", "browse", "authorizer"])
def test_who_never_sees_the_log(stack: Any, entry: str, function: str) -> None:
    s3 = client(stack, function, "s3")
    assert refused(s3.get_object, Bucket=stack.log_bucket, Key=entry) == "AccessDenied"
    assert refused(s3.list_objects_v2, Bucket=stack.log_bucket, Prefix="t/") == "AccessDenied"


def test_pack_alone_writes_and_deletes_packs_and_rebuild_reads_them(stack: Any) -> None:
    bucket, key = stack.deployed.pack_bucket, "t/acme/permissions/packs/alice.laptop/x"
    s3 = client(stack, "pack", "s3")
    s3.put_object(Bucket=bucket, Key=key, Body=b"x")
    assert refused(s3.put_object, Bucket=bucket, Key="elsewhere", Body=b"x") == "AccessDenied"
    reader = client(stack, "rebuild", "s3")
    assert reader.get_object(Bucket=bucket, Key=key)["Body"].read() == b"x"
    assert reader.list_objects_v2(Bucket=bucket, Prefix="t/acme/")["KeyCount"] == 1
    assert refused(reader.put_object, Bucket=bucket, Key=key, Body=b"y") == "AccessDenied"
    assert refused(reader.delete_object, Bucket=bucket, Key=key) == "AccessDenied"
    for function in ("append", "recall", "browse", "projector", "sweep", "authorizer"):
        other = client(stack, function, "s3")
        assert refused(other.get_object, Bucket=bucket, Key=key) == "AccessDenied"
    s3.delete_object(Bucket=bucket, Key=key)


@pytest.mark.parametrize(
    "function", ["append", "recall", "browse", "projector", "sweep", "rebuild"]
)
def test_only_the_authorizer_reads_tokens(stack: Any, function: str) -> None:
    dynamodb = client(stack, function, "dynamodb")
    pointer = {"pk": {"S": "P#acme#shop"}, "sk": {"S": "P"}}
    dynamodb.get_item(TableName=stack.access_table, Key=pointer, ConsistentRead=True)
    for pk, sk in (("T#00", "T"), ("W#acme", "alice.laptop")):
        key = {"pk": {"S": pk}, "sk": {"S": sk}}
        code = refused(dynamodb.get_item, TableName=stack.access_table, Key=key)
        assert code == "AccessDeniedException"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_nobody_makes_a_token(stack: Any, function: str) -> None:
    dynamodb = client(stack, function, "dynamodb")
    item = {"pk": {"S": "T#00"}, "sk": {"S": "T"}, "tenant": {"S": "acme"}}
    put = refused(dynamodb.put_item, TableName=stack.access_table, Item=item)
    assert put == "AccessDeniedException"
    key = {"pk": {"S": "T#00"}, "sk": {"S": "T"}}
    updated = refused(dynamodb.update_item, TableName=stack.access_table, Key=key)
    assert updated == "AccessDeniedException"
    assert refused(dynamodb.scan, TableName=stack.access_table) == "AccessDeniedException"


def test_the_authorizer_reads_tokens_only(stack: Any) -> None:
    dynamodb = client(stack, "authorizer", "dynamodb")
    token = {"pk": {"S": "T#00"}, "sk": {"S": "T"}}
    dynamodb.get_item(TableName=stack.access_table, Key=token, ConsistentRead=True)
    pointer = {"pk": {"S": "P#acme#shop"}, "sk": {"S": "P"}}
    for table, key in ((stack.access_table, pointer), (stack.projection_table, pointer)):
        code = refused(dynamodb.get_item, TableName=table, Key=key)
        assert code == "AccessDeniedException"


def test_feedback_changes_nothing_but_feedback(stack: Any) -> None:
    dynamodb = client(stack, "feedback", "dynamodb")
    item = {"pk": {"S": "x"}, "sk": {"S": "x"}}
    for table in (stack.projection_table, stack.access_table):
        put = refused(dynamodb.put_item, TableName=table, Item=item)
        assert put == "AccessDeniedException"
        updated = refused(dynamodb.update_item, TableName=table, Key=item)
        assert updated == "AccessDeniedException"


def test_export_knows_no_table(stack: Any) -> None:
    dynamodb = client(stack, "export", "dynamodb")
    key = {"pk": {"S": "P#acme#shop"}, "sk": {"S": "P"}}
    for table in (stack.access_table, stack.projection_table):
        assert refused(dynamodb.get_item, TableName=table, Key=key) == "AccessDeniedException"


def test_a_share_is_written_blindly_and_no_pointer_is_seen(stack: Any) -> None:
    dynamodb = client(stack, "rebuildshare", "dynamodb")
    key = {"pk": {"S": "g9#acme#shop#O"}, "sk": {"S": "x"}}
    table = stack.projection_table
    for call in (dynamodb.get_item, dynamodb.delete_item):
        assert refused(call, TableName=table, Key=key) == "AccessDeniedException"
    pointer = {"pk": {"S": "P#acme#shop"}, "sk": {"S": "P"}}
    for call in (dynamodb.get_item, dynamodb.update_item):
        code = refused(call, TableName=stack.access_table, Key=pointer)
        assert code == "AccessDeniedException"


def test_recall_changes_nothing(stack: Any) -> None:
    dynamodb = client(stack, "recall", "dynamodb")
    item = {"pk": {"S": "x"}, "sk": {"S": "x"}}
    table = stack.projection_table
    dynamodb.get_item(TableName=table, Key=item)
    assert refused(dynamodb.put_item, TableName=table, Item=item) == "AccessDeniedException"
    assert refused(dynamodb.update_item, TableName=table, Key=item) == "AccessDeniedException"
    assert refused(dynamodb.delete_item, TableName=table, Key=item) == "AccessDeniedException"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_nobody_scans_the_projection(stack: Any, function: str) -> None:
    dynamodb = client(stack, function, "dynamodb")
    assert refused(dynamodb.scan, TableName=stack.projection_table) == "AccessDeniedException"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/{bucket}"),
        ("GET", "/{bucket}/" + KEY.format(1)),
        ("DELETE", "/{bucket}/" + KEY.format(1)),
        ("POST", "/_ministack/reset"),
        ("GET", "/_aws/execute-api/precedent/$default/v1/whoami"),
    ],
)
def test_who_signs_nothing_gets_nowhere_but_to_the_api(
    stack: Any, entry: str, method: str, path: str
) -> None:
    assert stack.http(method, path.format(bucket=stack.log_bucket)).status == 403
    assert stack.client("s3").head_object(Bucket=stack.log_bucket, Key=entry)


@pytest.mark.parametrize("key", ["test", "000000000000", "AKIAUNKNOWN", "ASIAUNKNOWN"])
def test_a_key_that_is_not_this_homes_is_refused(stack: Any, key: str) -> None:
    dynamodb = deploy.session(stack.home).client(
        "dynamodb",
        endpoint_url=stack.url,
        aws_access_key_id=key,
        aws_secret_access_key="test",
    )
    with pytest.raises(ClientError) as caught:
        dynamodb.scan(TableName=stack.access_table)
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] in (400, 403)
