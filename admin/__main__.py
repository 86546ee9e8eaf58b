"""What an operator does to a deployment: `python -m admin --help`.

Uses the AWS credentials, region and endpoint of the environment; for the local AWS: `. .precedent/aws`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from precedent.aws.access import Access
from precedent.errors import Refusal
from precedent.ports import StoreError, StoreMissing

from admin import project
from local.home import write_exports

app = typer.Typer(
    add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__
)
writer = typer.Typer(no_args_is_help=True, help="Who may connect, and as what.")
app.add_typer(writer, name="writer")
project.register(app)

Name = Annotated[str, typer.Argument(help="a-z, 0-9, '.', '_', '-'; as in bob.desk")]
Tenant = Annotated[str, typer.Option(help="the tenant the writer belongs to")]
Table = Annotated[str, typer.Option(envvar="ACCESS_TABLE", help="the stack's output AccessTable")]


@writer.command()
def add(
    name: Name,
    tenant: Tenant,
    access_table: Table,
    role: Annotated[str, typer.Option(help="reader or writer")] = "writer",
    env_file: Annotated[
        Path | None,
        typer.Option(help="write the token here, to be sourced, instead of printing it"),
    ] = None,
    url: Annotated[str, typer.Option(help="the stack's output Url, for --env-file")] = "",
    project: Annotated[str, typer.Option(help="the project, for --env-file")] = "demo",
) -> None:
    """Create a writer, or give a revoked one a new token. The token is shown this once."""
    if env_file is not None and not url:
        raise typer.BadParameter("--env-file needs --url")
    token = Access(access_table).add_writer(tenant, name, role)
    if env_file is None:
        print(token)
        return
    values = {"PRECEDENT_URL": url, "PRECEDENT_TOKEN": token, "PRECEDENT_PROJECT": project}
    write_exports(env_file, values)
    print(f"{name}'s token is in {env_file}", file=sys.stderr)


@writer.command()
def revoke(name: Name, tenant: Tenant, access_table: Table) -> None:
    """Take a writer's token away. What it recorded stays."""
    Access(access_table).revoke(tenant, name)
    print(f"{name}'s token is revoked; within 60 s it is refused everywhere.", file=sys.stderr)


@writer.command(name="list")
def list_(
    tenant: Tenant,
    access_table: Table,
    as_json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """Every writer of a tenant, the revoked ones too."""
    for found in Access(access_table).writers(tenant):
        row = {
            "name": found.name,
            "role": found.role,
            "created_at": found.created_at,
            "revoked_at": found.revoked_at,
        }
        print(json.dumps(row) if as_json else "  ".join(value for value in row.values() if value))


def main() -> None:
    """Run the command; exit 3 if it was refused, 5 if the table could not be reached."""
    try:
        app()
    except Refusal as refusal:
        print(f"✗ {refusal.detail}", file=sys.stderr)
        sys.exit(3)
    except StoreMissing as error:
        print(
            f"✗ {error}: there is no such table or bucket.\n"
            "  If it is the projection's, deploy the stack and run `rebuild`; if it is the log's, `restore` a copy.",
            file=sys.stderr,
        )
        sys.exit(5)
    except StoreError as error:
        print(
            f"✗ {error}\n  Are the AWS credentials, the region and the names right?",
            file=sys.stderr,
        )
        sys.exit(5)


if __name__ == "__main__":
    main()
