"""What an operation costs: the requests its clients send, and the units their items come to.

Units follow DynamoDB's rules from the sizes of the items read and written, since no emulator reports all of
them rightly: a strongly consistent read takes one unit for each 4 KB begun, a write one for each 1 KB.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field
from math import ceil
from typing import Any

READ_STEP = 4096
WRITE_STEP = 1024

Attributes = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Cost:
    """Requests and units. `s3_puts` are priced as puts and listings are, `s3_gets` as reads."""

    s3_puts: float = 0
    s3_gets: float = 0
    requests: float = 0
    read_units: float = 0
    write_units: float = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    def __truediv__(self, times: int) -> Cost:
        return Cost(*(value / times for value in astuple(self)))


@dataclass
class Meter:
    """Listens to botocore clients. `spent` is what they sent since it was last set."""

    spent: Cost = Cost()
    operations: Counter[str] = field(default_factory=Counter)
    reported_writes: float = 0
    """The write units as the store itself reported them, where it did, to compare."""

    def listen(self, client: Any) -> None:
        service = client.meta.service_model.service_name
        events = client.meta.events
        if service == "dynamodb":
            events.register("provide-client-params.dynamodb", self._asked)
        events.register(f"after-call.{service}", self._answered)

    def leave(self, client: Any) -> None:
        """Listen no longer: the client may be everybody's."""
        service = client.meta.service_model.service_name
        events = client.meta.events
        if service == "dynamodb":
            events.unregister("provide-client-params.dynamodb", self._asked)
        events.unregister(f"after-call.{service}", self._answered)

    def start(self) -> None:
        self.spent = Cost()
        self.operations.clear()
        self.reported_writes = 0

    def _asked(self, params: dict[str, Any], model: Any, context: Any, **_: Any) -> dict[str, Any]:
        """Have the answer hold the item that was deleted, or that a condition failed on."""
        asked = {"ReturnConsumedCapacity": "TOTAL"}
        if model.name == "DeleteItem":
            asked["ReturnValues"] = "ALL_OLD"
        elif model.name == "UpdateItem":
            asked["ReturnValues"] = "ALL_NEW"
            if "ConditionExpression" in params:
                asked["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        context["bench_asked"] = params
        return {**params, **asked}

    def _answered(self, model: Any, parsed: dict[str, Any], context: Any, **_: Any) -> None:
        times = 1 + parsed["ResponseMetadata"].get("RetryAttempts", 0)
        self.operations[model.name] += times
        if model.service_model.service_name == "s3":
            reads = model.name.startswith(("Get", "Head"))
            self.spent += Cost(s3_gets=times) if reads else Cost(s3_puts=times)
            return
        units = units_of(model.name, context["bench_asked"], parsed)
        self.spent += Cost(requests=times) + units
        if units.write_units:
            told = parsed.get("ConsumedCapacity", [])
            reported = [
                each["CapacityUnits"] for each in (told if isinstance(told, list) else [told])
            ]
            self.reported_writes += sum(reported) if reported else units.write_units


def units_of(name: str, asked: Mapping[str, Any], answer: Mapping[str, Any]) -> Cost:
    """What one DynamoDB request comes to. Finding nothing takes a unit as well."""
    match name:
        case "GetItem":
            return Cost(read_units=_reads(size_of(answer.get("Item", {}))))
        case "BatchGetItem":
            wanted = sum(len(table["Keys"]) for table in asked["RequestItems"].values())
            found = [item for items in answer["Responses"].values() for item in items]
            left = sum(len(table["Keys"]) for table in answer.get("UnprocessedKeys", {}).values())
            missing = wanted - left - len(found)
            return Cost(read_units=sum(_reads(size_of(item)) for item in found) + missing)
        case "Query":
            return Cost(read_units=_reads(sum(map(size_of, answer["Items"]))))
        case "UpdateItem":
            # No item here ever shrinks; where a condition failed nothing was written, and it costs the same.
            item = answer.get("Attributes") or answer.get("Item") or {}
            return Cost(write_units=_writes(size_of(item)))
        case "BatchWriteItem":
            return Cost(write_units=sum(_writes(size_of(item)) for item in _batched(asked)))
        case "DeleteItem":
            return Cost(write_units=_writes(size_of(answer.get("Attributes", {}))))
    raise AssertionError(f"no operation of the bench sends {name}")


def _batched(asked: Mapping[str, Any]) -> Iterator[Attributes]:
    """What a batch writes: items, and the keys of those it deletes, which hold nothing else."""
    for requests in asked["RequestItems"].values():
        for request in requests:
            put, delete = request.get("PutRequest"), request.get("DeleteRequest")
            yield put["Item"] if put else delete["Key"]


def size_of(item: Attributes) -> int:
    """An item's size as DynamoDB counts it: the names and the values of its attributes."""
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(value: Mapping[str, Any]) -> int:
    ((kind, held),) = value.items()
    match kind:
        case "N":
            return len(held.strip("-").replace(".", "")) // 2 + 2
        case "SS":
            return _text_size(held)
        case "S":
            return _text_size([held])
        case "B":
            return len(held)
    raise AssertionError(f"no item of ours holds a {kind}")


def _text_size(texts: Iterable[str]) -> int:
    return sum(len(text.encode()) for text in texts)


def _reads(size: int) -> int:
    return max(1, ceil(size / READ_STEP))


def _writes(size: int) -> int:
    return max(1, ceil(size / WRITE_STEP))
