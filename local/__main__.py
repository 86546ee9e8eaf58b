"""The launcher: `python -m local up|down|status|writer|revoke`. `make` calls it."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from local import deploy, process, say, up
from local.home import REPOSITORY, TENANT, Home, read_exports

app = typer.Typer(
    add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__
)


@app.command(name="up")
def _up() -> None:
    """Start the local AWS and deploy to it; safe to run again at any time."""
    home = Home.from_environment()
    done = up.up(home)
    env = _shown(home.env)
    print(f"""
Precedent is at {home.url}
The token of {done.writer} is in {env}

Try:
    . {env}
    plugin/bin/precedent whoami
    plugin/bin/precedent import adr samples/adr""")


@app.command(name="down")
def _down() -> None:
    """Stop the local AWS; what was recorded stays in PRECEDENT_HOME."""
    home = Home.from_environment()
    print("stopped" if up.down(home) else "nothing was running", file=sys.stderr)


@app.command(name="writer")
def _writer(
    name: Annotated[str, typer.Option(help="a-z, 0-9, '.', '_', '-'; as in bob.desk")],
    role: Annotated[str, typer.Option(help="reader or writer")] = "writer",
    project: Annotated[str, typer.Option(help="the project its file names")] = up.DEFAULT_PROJECT,
) -> None:
    """Add a writer and write the file it sources."""
    path = up.add_writer(Home.from_environment(), name, role, project)
    print(
        f"{name} may now connect as {role}. Its token is in {_shown(path)}:\n    . {_shown(path)}"
    )


@app.command(name="revoke")
def _revoke(name: Annotated[str, typer.Option(help="whose token to take away")]) -> None:
    """Take a writer's token away, for good."""
    up.revoke_writer(Home.from_environment(), name)
    print(f"{name}'s token is revoked; within 60 s it is refused everywhere.", file=sys.stderr)


@app.command(name="status")
def _status(as_json: Annotated[bool, typer.Option("--json", help="for programs")] = False) -> None:
    """What runs, where, and who may connect. Exit code 1 if nothing runs."""
    home = Home.from_environment()
    pid = process.running(home)
    port = process.port_of_running(home)
    here = Home(home.root, port) if port else home
    deployed = deploy.find(here) if pid else None
    writers = list(up.access(here, deployed).writers(TENANT)) if deployed else []
    if as_json:
        print(
            json.dumps(
                {
                    "home": str(home.root),
                    "pid": pid,
                    "url": here.url if pid else None,
                    "deployed": deployed is not None,
                    "project": read_exports(home.env).get("PRECEDENT_PROJECT"),
                    "writers": [
                        {"name": w.name, "role": w.role, "revoked": w.revoked_at is not None}
                        for w in writers
                    ],
                }
            )
        )
    elif pid is None:
        print(f"nothing runs for {home.root}; start it with `make up`")
    else:
        print(f"{here.url}  process {pid}  {'deployed' if deployed else 'not deployed: make up'}")
        for writer in writers:
            print(f"  {writer.name}  {writer.role}{'  revoked' if writer.revoked_at else ''}")
    raise typer.Exit(0 if pid else 1)


def _shown(path: object) -> str:
    """A path as short as it can be written from the repository."""
    text = str(path)
    return text.removeprefix(f"{REPOSITORY}/")


def main() -> None:
    try:
        app()
    except say.Trouble as error:
        say.trouble(error)
        sys.exit(1)


if __name__ == "__main__":
    main()
