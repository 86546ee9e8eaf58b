"""What the templates promise, read from them as written: least privilege, a log nothing is lost from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from local.deploy import load

ROOT = Path(__file__).resolve().parents[2]
SAM = load(ROOT / "sam" / "template.yaml")
LOG = load(ROOT / "infra" / "log.yaml")
FUNCTIONS = {
    name: resource["Properties"]
    for name, resource in SAM["Resources"].items()
    if resource["Type"] == "AWS::Serverless::Function"
}
LOG_POLICY = {
    statement["Sid"]: statement
    for statement in LOG["Resources"]["LogBucketPolicy"]["Properties"]["PolicyDocument"][
        "Statement"
    ]
}


def resources(template: dict[str, Any], kind: str) -> dict[str, Any]:
    return {name: each for name, each in template["Resources"].items() if each["Type"] == kind}


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def statements(function: str) -> Iterator[dict[str, Any]]:
    role = SAM["Resources"][f"{function}Role"]["Properties"]
    for policy in role["Policies"]:
        yield from policy["PolicyDocument"]["Statement"]


def actions(function: str, service: str) -> set[str]:
    return {
        action.removeprefix(f"{service}:")
        for statement in statements(function)
        for action in listed(statement["Action"])
        if action.startswith(f"{service}:")
    }


def on(function: str, table: str) -> set[str]:
    return {
        action.removeprefix("dynamodb:")
        for statement in statements(function)
        if statement["Resource"] == {"Fn::GetAtt": [table, "Arn"]}
        for action in listed(statement["Action"])
    }


def in_bucket(function: str, bucket: str) -> set[str]:
    return {
        action.removeprefix("s3:")
        for statement in statements(function)
        if bucket in str(statement["Resource"])
        for action in listed(statement["Action"])
        if action.startswith("s3:")
    }


def test_every_function_is_there() -> None:
    assert {name.lower() for name in FUNCTIONS} == {
        path.parent.name for path in (ROOT / "functions").glob("*/app.py")
    }


# ------------------------------------------------------------------------- the log


def test_the_log_bucket_outlives_its_stack() -> None:
    for name in ("LogBucket", "LogBucketPolicy"):
        assert LOG["Resources"][name]["DeletionPolicy"] == "Retain"
        assert LOG["Resources"][name]["UpdateReplacePolicy"] == "Retain"
    bucket = LOG["Resources"]["LogBucket"]["Properties"]
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    assert all(bucket["PublicAccessBlockConfiguration"].values())
    assert bucket["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    assert bucket["NotificationConfiguration"]["EventBridgeConfiguration"]["EventBridgeEnabled"]


def test_nothing_in_the_log_expires() -> None:
    rules = LOG["Resources"]["LogBucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
    assert [set(rule) for rule in rules] == [{"Id", "Status", "AbortIncompleteMultipartUpload"}]


def test_the_bucket_refuses_a_write_that_could_replace() -> None:
    statement = LOG_POLICY["OnlyWritesThatCannotReplace"]
    assert (statement["Effect"], statement["Principal"]) == ("Deny", "*")
    assert listed(statement["Action"]) == ["s3:PutObject"]
    assert statement["Condition"] == {"Null": {"s3:if-none-match": "true"}}
    assert statement["Resource"] == {"Fn::Sub": "${LogBucket.Arn}/*"}


def test_the_bucket_refuses_every_delete() -> None:
    statement = LOG_POLICY["NothingIsDeleted"]
    assert (statement["Effect"], statement["Principal"]) == ("Deny", "*")
    assert set(statement["Action"]) == {"s3:DeleteObject", "s3:DeleteObjectVersion"}
    assert "Condition" not in statement
    assert set(LOG_POLICY["NoDetours"]["Action"]) == {
        "s3:DeleteBucket",
        "s3:PutBucketVersioning",
        "s3:PutLifecycleConfiguration",
    }


def test_the_bucket_is_reached_over_tls_only() -> None:
    statement = LOG_POLICY["OnlyOverTls"]
    assert (statement["Effect"], statement["Principal"]) == ("Deny", "*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert len(statement["Resource"]) == 2  # the bucket and what is in it


# ------------------------------------------------------------------ who may do what


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_function_has_a_role_of_its_own_written_by_hand(function: str) -> None:
    properties = FUNCTIONS[function]
    assert properties["Role"] == {"Fn::GetAtt": [f"{function}Role", "Arn"]}
    assert "Policies" not in properties
    role = SAM["Resources"][f"{function}Role"]["Properties"]
    assert "ManagedPolicyArns" not in role
    assert [each["Principal"] for each in role["AssumeRolePolicyDocument"]["Statement"]] == [
        {"Service": "lambda.amazonaws.com"}
    ]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_wildcards(function: str) -> None:
    for statement in statements(function):
        assert statement["Effect"] == "Allow"
        assert not any("*" in action for action in listed(statement["Action"]))
        if statement["Resource"] == "*":  # X-Ray knows no resources
            assert actions(function, "xray") == {
                action.removeprefix("xray:") for action in listed(statement["Action"])
            }


@pytest.mark.parametrize(
    ("function", "allowed"),
    [
        ("Append", {"GetObject", "PutObject", "ListBucket"}),
        ("Recall", set()),
        ("Export", {"GetObject", "ListBucket"}),
        ("Feedback", set()),
        ("Projector", {"GetObject", "ListBucket"}),
        ("Sweep", {"GetObject", "ListBucket"}),
        ("Rebuild", {"GetObject", "ListBucket"}),
        ("RebuildShare", {"GetObject", "ListBucket"}),
        ("Pack", {"GetObject", "ListBucket"}),
        ("Authorizer", set()),
    ],
)
def test_on_the_log(function: str, allowed: set[str]) -> None:
    assert in_bucket(function, "LogBucket") == allowed


@pytest.mark.parametrize("function", FUNCTIONS)
def test_only_pack_touches_packs_and_rebuilds_read_them(function: str) -> None:
    allowed = {
        "Pack": {"DeleteObject", "GetObject", "ListBucket", "PutObject"},
        "Rebuild": {"GetObject", "ListBucket"},
        "RebuildShare": {"GetObject", "ListBucket"},
    }
    assert in_bucket(function, "PackBucket") == allowed.get(function, set())


def test_packs_lie_apart_from_the_log_and_can_be_deleted() -> None:
    bucket = SAM["Resources"]["PackBucket"]["Properties"]
    assert all(bucket["PublicAccessBlockConfiguration"].values())
    assert "VersioningConfiguration" not in bucket  # text that was taken out of the log goes
    (statement,) = SAM["Resources"]["PackBucketPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


FOLDING = {
    "BatchGetItem",
    "BatchWriteItem",
    "DeleteItem",
    "GetItem",
    "Query",
    "UpdateItem",
}


@pytest.mark.parametrize(
    ("function", "projection", "access"),
    [
        ("Append", FOLDING, {"GetItem", "UpdateItem"}),
        ("Recall", {"BatchGetItem", "GetItem", "Query"}, {"GetItem"}),
        ("Export", set(), set()),
        ("Feedback", {"BatchGetItem", "Query"}, {"GetItem"}),
        ("Projector", FOLDING, {"GetItem", "UpdateItem"}),
        ("Sweep", FOLDING, {"GetItem", "UpdateItem"}),
        ("Rebuild", FOLDING, {"GetItem", "UpdateItem"}),
        ("RebuildShare", {"BatchWriteItem", "UpdateItem"}, set()),
        ("Pack", set(), set()),
        ("Authorizer", set(), {"GetItem"}),
    ],
)
def test_on_the_tables(function: str, projection: set[str], access: set[str]) -> None:
    assert on(function, "ProjectionTable") == projection
    assert on(function, "AccessTable") == access
    feedback = {
        "Feedback": {"BatchGetItem", "PutItem", "UpdateItem"},
        "Recall": {"BatchGetItem"},
    }.get(function, set())
    assert on(function, "FeedbackTable") == feedback
    assert actions(function, "dynamodb") == projection | access | feedback


@pytest.mark.parametrize("function", FUNCTIONS)
def test_only_the_authorizer_sees_tokens(function: str) -> None:
    expected = ["T#*"] if function == "Authorizer" else ["P#*"]
    for statement in statements(function):
        if statement["Resource"] == {"Fn::GetAtt": ["AccessTable", "Arn"]}:
            condition = statement["Condition"]
            assert condition == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": expected}}


@pytest.mark.parametrize("name", ["AccessTable", "FeedbackTable"])
def test_what_nothing_derives_again_outlives_its_stack(name: str) -> None:
    table = SAM["Resources"][name]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    recovery = table["Properties"]["PointInTimeRecoverySpecification"]
    assert recovery == {"PointInTimeRecoveryEnabled": True}


@pytest.mark.parametrize("table", ["AccessTable", "FeedbackTable", "ProjectionTable"])
def test_tables_have_no_index_and_no_stream(table: str) -> None:
    properties = SAM["Resources"][table]["Properties"]
    assert properties["BillingMode"] == "PAY_PER_REQUEST"
    assert [key["AttributeName"] for key in properties["KeySchema"]] == ["pk", "sk"]
    assert not {"GlobalSecondaryIndexes", "LocalSecondaryIndexes", "StreamSpecification"} & set(
        properties
    )


# --------------------------------------------------------------------- API and queue


def test_every_route_but_health_asks_for_a_token() -> None:
    routes = {
        each["Properties"]["RouteKey"]: each["Properties"]
        for each in resources(SAM, "AWS::ApiGatewayV2::Route").values()
    }
    public = {key for key, each in routes.items() if each["AuthorizationType"] == "NONE"}
    assert public == {"GET /v1/health"}
    for key in routes.keys() - public:
        assert routes[key]["AuthorizationType"] == "CUSTOM"
        assert routes[key]["AuthorizerId"] == {"Ref": "TokenAuthorizer"}


def test_a_revoked_token_is_refused_within_a_minute() -> None:
    authorizer = SAM["Resources"]["TokenAuthorizer"]["Properties"]
    assert authorizer["AuthorizerResultTtlInSeconds"] <= 60
    assert authorizer["IdentitySource"] == ["$request.header.Authorization"]


def test_the_access_log_holds_no_text() -> None:
    stage = SAM["Resources"]["Stage"]["Properties"]
    text = stage["AccessLogSettings"]["Format"].lower()
    for part in ("body", "path", "querystring", "authorization", "header"):
        assert part not in text


def test_the_state_machine_calls_two_functions_and_runs_its_own_shares() -> None:
    (machine,) = resources(SAM, "AWS::StepFunctions::StateMachine").values()
    states = machine["Properties"]["Definition"]["States"]
    assert list(states) == ["Plan", "Shares", "Finish"]
    assert states["Shares"]["ItemProcessor"]["ProcessorConfig"]["Mode"] == "DISTRIBUTED"
    assert machine["Properties"]["RoleArn"] == {"Fn::GetAtt": ["RebuildInSharesRole", "Arn"]}
    allowed = {
        action: str(statement["Resource"])
        for statement in statements("RebuildInShares")
        for action in listed(statement["Action"])
    }
    assert set(allowed) == {
        "lambda:InvokeFunction",
        "states:StartExecution",
        "states:DescribeExecution",
        "states:StopExecution",
    }
    named = machine["Properties"]["StateMachineName"]["Fn::Sub"]
    assert allowed["states:StartExecution"].count(f":stateMachine:{named}'") == 1


def test_cloudformation_reads_no_yaml_aliases() -> None:
    for path in ("sam/template.yaml", "infra/log.yaml"):
        tokens = yaml.scan((ROOT / path).read_text())
        assert not [token for token in tokens if isinstance(token, yaml.AliasToken)]


def test_only_the_rule_wakes_the_projector() -> None:
    (policy,) = resources(SAM, "AWS::SQS::QueuePolicy").values()
    (statement,) = policy["Properties"]["PolicyDocument"]["Statement"]
    assert statement["Principal"] == {"Service": "events.amazonaws.com"}
    assert statement["Condition"] == {
        "ArnEquals": {"aws:SourceArn": {"Fn::GetAtt": ["LogWritten", "Arn"]}}
    }


def test_a_batch_fails_message_by_message_and_not_for_ever() -> None:
    event = FUNCTIONS["Projector"]["Events"]["Wake"]["Properties"]
    assert event["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
    queue = SAM["Resources"]["WakeQueue"]["Properties"]
    assert queue["VisibilityTimeout"] >= 6 * FUNCTIONS["Projector"]["Timeout"]
    assert queue["RedrivePolicy"]["maxReceiveCount"] == 5
    for name in ("WakeQueue", "DeadLetters"):
        assert SAM["Resources"][name]["Properties"]["SqsManagedSseEnabled"] is True


def test_an_answer_comes_before_the_api_gives_up() -> None:
    for function in ("Append", "Recall", "Export", "Feedback", "Authorizer"):
        assert FUNCTIONS[function]["Timeout"] < 30


def test_every_function_writes_to_a_log_group_that_forgets() -> None:
    groups = resources(SAM, "AWS::Logs::LogGroup")
    for function, properties in FUNCTIONS.items():
        assert properties["LoggingConfig"] == {"LogGroup": {"Ref": f"{function}Log"}}
    for group in groups.values():
        assert group["Properties"]["RetentionInDays"] == {"Ref": "LogRetention"}


def test_alarms() -> None:
    alarms = resources(SAM, "AWS::CloudWatch::Alarm")
    watched = {
        (each["Properties"]["MetricName"], str(each["Properties"]["Dimensions"][0]["Value"]))
        for each in alarms.values()
    }
    assert watched == {
        ("ApproximateNumberOfMessagesVisible", str({"Fn::GetAtt": ["DeadLetters", "QueueName"]})),
        ("Errors", str({"Ref": "Append"})),
        ("Errors", str({"Ref": "Projector"})),
        ("Errors", str({"Ref": "Sweep"})),
        ("Quarantined", "projector"),
        ("Quarantined", "sweep"),
    }
    for each in alarms.values():
        assert "HasAlarmTopic" in str(each["Properties"]["AlarmActions"])


def test_the_layer_is_built_from_the_lock() -> None:
    lock = (ROOT / "requirements" / "runtime.txt").read_text()
    assert (ROOT / "layers" / "core" / "requirements.txt").read_text() == lock


@pytest.mark.parametrize("name", ["runtime", "dev"])
def test_the_lock_names_hashes_and_no_place(name: str) -> None:
    lines = (ROOT / "requirements" / f"{name}.txt").read_text().splitlines()
    assert any(line.lstrip().startswith("--hash=sha256:") for line in lines)
    assert not any("://" in line or line.startswith(("-i", "--index", "--find")) for line in lines)
