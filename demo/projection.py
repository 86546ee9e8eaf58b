"""Losing the projection and getting it back: `python -m demo.projection empty|rebuild`.

For the local AWS of PRECEDENT_HOME and PRECEDENT_PORT.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from demo.stage import PROJECT
from local import deploy
from local.home import TENANT, Home


def empty(home: Home, deployed: deploy.Deployed) -> None:
    """Delete every item of the projection's table."""
    table: Any = deploy.session(home).resource("dynamodb", endpoint_url=home.url)
    table = table.Table(deployed.projection_table)
    keys = [key["AttributeName"] for key in table.key_schema]
    count = 0
    start: dict[str, Any] = {}
    while True:
        page = table.scan(**start)
        with table.batch_writer() as writer:
            for item in page["Items"]:
                writer.delete_item(Key={key: item[key] for key in keys})
        count += len(page["Items"])
        if "LastEvaluatedKey" not in page:
            break
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
    print(f"deleted {count} items, all there were")


def rebuild(home: Home, deployed: deploy.Deployed) -> None:
    """Have the function `rebuild` read the log from its beginning."""
    answer = deploy.client(home, "lambda").invoke(
        FunctionName=deployed.functions["rebuild"],
        Payload=json.dumps({"tenant": TENANT, "project": PROJECT}).encode(),
    )
    told = json.loads(answer["Payload"].read())
    if "FunctionError" in answer:
        sys.exit(f"rebuild failed: {told}")
    swept = told["swept"]
    print(f"{swept['entries']} entries of {swept['writers']} writers folded into a new generation")


def main() -> None:
    commands = {"empty": empty, "rebuild": rebuild}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        sys.exit(f"usage: python -m demo.projection {'|'.join(commands)}")
    home = Home.from_environment()
    deployed = deploy.find(home)
    if deployed is None:
        sys.exit(f"nothing is deployed for {home.root}")
    commands[sys.argv[1]](home, deployed)


if __name__ == "__main__":
    main()
