"""The OpenAPI document of every HTTP function together: `python -m admin.openapi` writes docs/openapi.json.

Each function serves its own routes; the document is theirs, put side by side as the gateway does, with the
schemas of what is recorded, which the append function checks itself.
"""

from __future__ import annotations

import importlib.util
import json
import os
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from precedent import schema
from precedent.web.documented import GATEWAY_SCHEMA, PROBLEM_SCHEMA

REPOSITORY = Path(__file__).resolve().parents[1]
DOCUMENT = REPOSITORY / "docs" / "openapi.json"
FUNCTIONS = ("append", "recall", "browse", "export", "feedback")
"""Those that serve HTTP."""

PUBLIC = "/v1/health"

Json = dict[str, Any]

IF_NONE_MATCH: Json = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "The ETags of answers held.",
    "schema": {"type": "string"},
}


def load_function(name: str) -> FastAPI:
    """The application of a function, as its code stands here."""
    os.environ.setdefault("POWERTOOLS_TRACE_DISABLED", "1")
    os.environ.setdefault("POWERTOOLS_SERVICE_NAME", name)
    os.environ.setdefault("POWERTOOLS_METRICS_NAMESPACE", "Precedent")
    path = REPOSITORY / "functions" / name / "app.py"
    spec = importlib.util.spec_from_file_location(f"functions_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    app: FastAPI = module.app
    return app


def routes(app: FastAPI) -> set[str]:
    """`METHOD /path` of everything an application serves."""
    paths = app.openapi()["paths"]
    return {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}


def document() -> Json:
    """The document, made from the applications and the schemas."""
    paths: Json = {}
    schemas: Json = {
        "Problem": PROBLEM_SCHEMA,
        "GatewayAnswer": GATEWAY_SCHEMA,
        **_schema("request", "AppendRequest"),
        **_schema("decision", "Decision"),
    }
    for item in ("decision", "decisions"):
        named = schemas["AppendRequest"]["properties"][item]
        (named.get("items") or named).update({"$ref": "#/components/schemas/Decision"})
    for name in FUNCTIONS:
        served = load_function(name).openapi()
        for path, operations in served["paths"].items():
            for operation in operations.values():
                operation["tags"] = [name]
                if "304" in operation["responses"]:
                    operation["parameters"].append(IF_NONE_MATCH)
                operation["security"] = [] if path == PUBLIC else [{"token": []}]
            paths.setdefault(path, {}).update(operations)
        schemas.update(served.get("components", {}).get("schemas", {}))
    bearer = {"type": "http", "scheme": "bearer", "description": "`Authorization: Bearer pct_…`"}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Precedent",
            "version": "1",
            "description": "A team's shared decision memory for coding agents. Shapes and rules, route by route.",
        },
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": bearer},
        },
    }


def _schema(name: str, title: str) -> Json:
    """A schema of `precedent.schema` and its definitions as components, references and all."""
    text = json.dumps(schema.document(name)).replace('"#/$defs/', f'"#/components/schemas/{title}.')
    main: Json = json.loads(text)
    parts = {f"{title}.{part}": found for part, found in main.pop("$defs").items()}
    kept = {key: found for key, found in main.items() if key not in ("$schema", "$id")}
    return {title: kept, **parts}


def text() -> str:
    """The document as it is checked in."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    DOCUMENT.write_text(text(), encoding="utf-8")
