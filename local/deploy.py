"""The templates of infra/ and sam/ as they are, put on the local AWS.

What `sam package` does is done here: code is zipped to a bucket under the hash of its content
and `CodeUri`/`ContentUri` point there. Nothing else in a template changes. The layer holds only
`precedent/`; the functions run in this interpreter and find its dependencies.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import yaml
from botocore.config import Config
from botocore.exceptions import ClientError

from local import say
from local.home import REPOSITORY, Home, read_exports
from local.server import API_ID

LOG_STACK = "precedent-log"
STACK = "precedent"
ARTIFACTS = "precedent-artifacts"
SKIPPED = frozenset({"__pycache__", ".mypy_cache", ".ruff_cache", "requirements.txt"})
OLD = (1980, 1, 1, 0, 0, 0)
"""The date of every file in a zip, so that the same content makes the same bytes."""


@dataclass(frozen=True)
class Deployed:
    """The names the deployed templates answer with."""

    log_bucket: str
    pack_bucket: str
    projection_table: str
    access_table: str
    functions: Mapping[str, str]
    wake_queue: str
    dead_letters: str


def session(home: Home) -> boto3.Session:
    """The administrator of this home's local AWS; pass `endpoint` to its clients."""
    values = read_exports(home.aws)
    return boto3.Session(
        aws_access_key_id=values["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=values["AWS_SECRET_ACCESS_KEY"],
        region_name=values["AWS_DEFAULT_REGION"],
    )


def client(home: Home, service: Any) -> Any:
    """A client of one service of this home's local AWS."""
    # A function's first call imports its dependencies; nothing may be sent twice meanwhile.
    config = Config(read_timeout=300, retries={"max_attempts": 0}, s3={"addressing_style": "path"})
    return session(home).client(service, endpoint_url=home.url, config=config)


def deploy_log(home: Home) -> str:
    """Create or update the stack of the log bucket; returns the bucket's name."""
    _apply(home, LOG_STACK, (REPOSITORY / "infra/log.yaml").read_text(encoding="utf-8"), {})
    return _outputs(home, LOG_STACK)["LogBucket"]


def deploy_functions(home: Home) -> Deployed:
    """Create or update the stack of everything else."""
    template = REPOSITORY / "sam/template.yaml"
    _apply(home, STACK, _package(home, template), {"LocalApiId": API_ID})
    deployed = find(home)
    if deployed is None:
        raise say.Trouble(
            "the stack was deployed and cannot be found", f"Its server's words are in {home.log}"
        )
    return deployed


def find(home: Home) -> Deployed | None:
    """What is deployed now; None if there is nothing, or only half of it."""
    if not (exists(home, LOG_STACK) and exists(home, STACK)):
        return None
    outputs = _outputs(home, STACK)
    suffix = "Function"
    functions = {
        key[: -len(suffix)].lower(): name for key, name in outputs.items() if key.endswith(suffix)
    }
    return Deployed(
        log_bucket=outputs["LogBucket"],
        pack_bucket=outputs["PackBucket"],
        projection_table=outputs["ProjectionTable"],
        access_table=outputs["AccessTable"],
        functions=functions,
        wake_queue=outputs["WakeQueue"],
        dead_letters=outputs["DeadLetters"],
    )


def exists(home: Home, stack: str) -> bool:
    """Whether a stack is there and whole."""
    return _status(home, stack) in {
        "CREATE_COMPLETE",
        "UPDATE_COMPLETE",
        "UPDATE_ROLLBACK_COMPLETE",
    }


def buckets(home: Home) -> set[str]:
    """The names of all buckets."""
    return {bucket["Name"] for bucket in client(home, "s3").list_buckets()["Buckets"]}


def _apply(home: Home, stack: str, body: str, parameters: Mapping[str, str]) -> None:
    cloudformation = client(home, "cloudformation")
    status = _status(home, stack)
    if status is not None and not exists(home, stack):  # the remains of a create that failed
        cloudformation.delete_stack(StackName=stack)
        cloudformation.get_waiter("stack_delete_complete").wait(
            StackName=stack, WaiterConfig={"Delay": 1}
        )
        status = None
    verb, waiter = (
        ("create", "stack_create_complete")
        if status is None
        else ("update", "stack_update_complete")
    )
    arguments = {
        "StackName": stack,
        "TemplateURL": _uploaded(home, stack, body),
        "Parameters": [
            {"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()
        ],
        "Capabilities": ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"],
    }
    try:
        getattr(cloudformation, f"{verb}_stack")(**arguments)
    except ClientError as error:
        if "No updates are to be performed" in str(error):
            return
        raise say.Trouble(f"{stack} could not be deployed: {error}", home.way_out) from error
    try:
        cloudformation.get_waiter(waiter).wait(
            StackName=stack, WaiterConfig={"Delay": 1, "MaxAttempts": 120}
        )
    except Exception as error:
        raise say.Trouble(
            f"{stack} could not be deployed: {_why(cloudformation, stack)}", home.way_out
        ) from error


def _uploaded(home: Home, stack: str, body: str) -> str:
    """Where CloudFormation reads a template from: in a request it may have 51,200 bytes, on S3 a megabyte."""
    s3 = client(home, "s3")
    if ARTIFACTS not in buckets(home):
        s3.create_bucket(Bucket=ARTIFACTS)
    s3.put_object(Bucket=ARTIFACTS, Key=f"{stack}.yaml", Body=body.encode())
    return f"{home.url}/{ARTIFACTS}/{stack}.yaml"


def _why(cloudformation: Any, stack: str) -> str:
    events = cloudformation.describe_stack_events(StackName=stack)["StackEvents"]
    failed = [event for event in events if "FAILED" in event.get("ResourceStatus", "")]
    first = failed[-1] if failed else {}
    return f"{first.get('LogicalResourceId', 'unknown')}: {first.get('ResourceStatusReason', 'no reason given')}"


def _status(home: Home, stack: str) -> str | None:
    try:
        found = client(home, "cloudformation").describe_stacks(StackName=stack)["Stacks"]
    except ClientError:
        return None
    return (
        str(found[0]["StackStatus"])
        if found and found[0]["StackStatus"] != "DELETE_COMPLETE"
        else None
    )


def _outputs(home: Home, stack: str) -> dict[str, str]:
    found = client(home, "cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
    return {output["OutputKey"]: output["OutputValue"] for output in found.get("Outputs", [])}


def _package(home: Home, template: Path) -> str:
    """The template's text with code references replaced; everything else is byte for byte the same."""
    s3 = client(home, "s3")
    present = {item["Key"] for item in s3.list_objects_v2(Bucket=ARTIFACTS).get("Contents", [])}
    text = template.read_text(encoding="utf-8")
    wanted = set()
    for reference, folder in _code_references(template):
        content = _zip(folder)
        key = f"{folder.name}-{hashlib.sha256(content).hexdigest()}.zip"
        if key not in present:
            s3.put_object(Bucket=ARTIFACTS, Key=key, Body=content)
        wanted.add(key)
        text = text.replace(f": {reference}\n", f": s3://{ARTIFACTS}/{key}\n")
    for key in present - wanted - {f"{STACK}.yaml", f"{LOG_STACK}.yaml"}:
        s3.delete_object(Bucket=ARTIFACTS, Key=key)
    return text


def _code_references(template: Path) -> Iterator[tuple[str, Path]]:
    """Each local folder a template takes code from, as written and resolved."""
    for resource in load(template)["Resources"].values():
        properties = resource.get("Properties", {})
        reference = properties.get("CodeUri") or properties.get("ContentUri")
        if reference is None:
            continue
        folder = (template.parent / reference).resolve()
        if not folder.is_dir():
            raise say.Trouble(
                f"{template.name} takes code from {reference}, which is not there",
                "Check out all of it.",
            )
        yield reference, folder


def _zip(folder: Path) -> bytes:
    """A folder as Lambda wants it; a layer's packages go under `python/`."""
    prefix = "python/" if folder.parent.name == "layers" else ""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder)
            if path.is_file() and not SKIPPED.intersection(name.parts):
                entry = zipfile.ZipInfo(prefix + name.as_posix(), OLD)
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


class _Loader(yaml.SafeLoader):
    """Reads a template for looking at: an intrinsic becomes `{"Ref": …}`, `{"Fn::Sub": …}` and so on."""


def _intrinsic(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    value: Any
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
        if suffix == "GetAtt":
            value = value.split(".", 1)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        assert isinstance(node, yaml.MappingNode)
        value = loader.construct_mapping(node, deep=True)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _intrinsic)


def load(template: Path) -> dict[str, Any]:
    """A template as plain values."""
    loaded = yaml.load(template.read_text(encoding="utf-8"), Loader=_Loader)  # noqa: S506 - a SafeLoader
    assert isinstance(loaded, dict)
    return loaded
