"""What an operator does to a project: `verify`, `repair`, `rebuild`, `pack`, `restore`, `import`, `quarantine list`."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from precedent.aws.wiring import now
from precedent.errors import NotFound
from precedent.orset import digest
from precedent.packed import PackedLog
from precedent.packing import pack
from precedent.ports import Log
from precedent.rebuild import Rebuilt, rebuild
from precedent.repair import repair
from precedent.restore import Restored, restore
from precedent.retire import GRACE_SECONDS, retire
from precedent.verify import verify
from rich.console import Console

from admin import report
from admin.exported import Exported
from admin.stores import Project, Stack, Stores, Tenant
from admin.watched import watched

Json = Annotated[bool, typer.Option("--json", help="for programs")]
quarantine = typer.Typer(no_args_is_help=True, help="What of the log could not be read.")


def register(app: typer.Typer) -> None:
    """Add these commands to the operator's program."""
    for command in (_verify, _repair, _rebuild, _restore, _import, _pack):
        app.command(name=command.__name__[1:])(command)
    app.add_typer(quarantine, name="quarantine")


def _verify(
    tenant: Tenant, project: Project, stack: Stack = "precedent", as_json: Json = False
) -> None:
    """Derive everything again from the log and compare. Changes nothing.

    Exit code 0 if healthy, 1 if not, 5 if something could not be read.
    """
    stores = Stores(stack, tenant, project)
    with _reading(stores, quiet=as_json) as log:
        found = verify(stores.scope, log, stores.pointers)
    report.dump(report.as_json(found)) if as_json else report.say(found, Console())
    raise typer.Exit(report.exit_code(found))


def _repair(
    tenant: Tenant,
    project: Project,
    stack: Stack = "precedent",
    leftovers: Annotated[
        bool, typer.Option(help="delete other generations too; only while no rebuild runs")
    ] = False,
    as_json: Json = False,
) -> None:
    """Catch up, free what can be read, put back what is missing, delete what is stale; then verify."""
    stores = Stores(stack, tenant, project)
    with _reading(stores, quiet=as_json) as log:
        repaired = repair(stores.scope, log, stores.pointers, leftovers=leftovers)
    assert repaired.left is not None
    if as_json:
        swept = {**asdict(repaired.swept), "repaired": dict(repaired.done)}
        report.dump({**swept, "left": report.as_json(repaired.left)})
    else:
        out = Console()
        out.print(f"{repaired.swept.entries} entries caught up, {repaired.swept.freed} freed")
        for what, count in repaired.done.items():
            out.print(f"{count} {what}")
        report.say(repaired.left, out)
    raise typer.Exit(report.exit_code(repaired.left))


def _rebuild(
    tenant: Tenant,
    project: Project,
    stack: Stack = "precedent",
    resume: Annotated[
        str,
        typer.Option(help="go on with the generation of a rebuild that died; `verify` names it"),
    ] = "",
    accept_loss: Annotated[
        bool, typer.Option(help="flip though a log ends before what was acknowledged")
    ] = False,
    keep_old: Annotated[bool, typer.Option(help="leave the old generation in the table")] = False,
    as_json: Json = False,
) -> None:
    """Fold the log into a new generation, let it serve, and take the old one away. Recall stays up.

    Exit code 1 if it did not flip: a log is too short, or another rebuild was first.
    """
    stores = Stores(stack, tenant, project)
    with _reading(stores, quiet=as_json) as log:
        rebuilt = rebuild(
            stores.scope,
            log,
            stores.pointers,
            resume or fresh_generation(),
            accept_loss=accept_loss,
        )
    deleted = 0
    if rebuilt.flipped and not keep_old:
        _tell(f"waiting {GRACE_SECONDS} s for answers that still read {rebuilt.old.generation}")
        time.sleep(GRACE_SECONDS)
        with _reading(stores, quiet=as_json) as log:
            deleted = retire(stores.scope, log, stores.pointers, rebuilt.old)
    if as_json:
        report.dump({**rebuilt.told(), "deleted": deleted})
    else:
        _say_rebuilt(rebuilt, deleted)
    raise typer.Exit(0 if rebuilt.flipped else report.UNHEALTHY)


def _restore(
    source: Annotated[str, typer.Argument(help="s3://BUCKET, or a folder that holds what it held")],
    tenant: Tenant,
    project: Project,
    stack: Stack = "precedent",
    as_json: Json = False,
) -> None:
    """Bring a project back from a copy of its log alone, into a deployment that knows nothing of it.

    Its writers are held, since the copy may lack what they recorded last: give them new names.
    """
    stores = Stores(stack, tenant, project)
    copy = stores.copy(source)
    restored = restore(stores.scope, copy, stores.log, stores.pointers, fresh_generation())
    _say_restored(restored, tenant, as_json=as_json)


def _import(
    file: Annotated[Path, typer.Argument(help="what `precedent export` wrote")],
    tenant: Tenant,
    project: Project,
    stack: Stack = "precedent",
    as_json: Json = False,
) -> None:
    """Bring an exported project back as it was, entry by entry, where nothing was recorded in it yet.

    Under the same tenant and project only: every line says which it is of. Its writers are held, since others may
    have recorded more under their names after the export: give them new ones. Exit code 1 if the digests differ.
    """
    stores = Stores(stack, tenant, project)
    exported = Exported(file, stores.scope)
    restored = restore(stores.scope, exported, stores.log, stores.pointers, fresh_generation())
    pointer = stores.pointers.read()
    assert pointer is not None
    found = str(digest(stores.pointers.open(pointer).all_statuses()))
    equal = {"digest": found, "exported": exported.digest, "equal": found == exported.digest}
    _say_restored(restored, tenant, as_json=as_json, **equal)
    raise typer.Exit(0 if equal["equal"] else report.UNHEALTHY)


def _pack(
    tenant: Tenant, project: Project, stack: Stack = "precedent", as_json: Json = False
) -> None:
    """Pack the log now, and check every pack against it. The `pack` function does so daily."""
    stores = Stores(stack, tenant, project)
    if stores.packs is None:
        raise NotFound(f"Stack {stack} has no bucket for packs. Deploy it anew.")
    packed = pack(stores.log, stores.packs)
    if as_json:
        report.dump(asdict(packed))
        return
    print(
        f"{packed.objects} objects in {packed.packs} packs; "
        f"{packed.made} made, {packed.deleted} deleted, {packed.corrupt} were corrupt"
    )


@quarantine.command(name="list")
def _list(
    tenant: Tenant, project: Project, stack: Stack = "precedent", as_json: Json = False
) -> None:
    """Every line of the log that was stepped over, and why. Exit code 1 if there are any."""
    stores = Stores(stack, tenant, project)
    pointer = stores.pointers.read()
    if pointer is None:
        raise NotFound(f"There is no project {project} of {tenant}.")
    rows = sorted(stores.pointers.open(pointer).quarantined(), key=lambda row: row.dot)
    for row in rows:
        if as_json:
            report.dump(asdict(row))
        else:
            print(f"{row.dot.writer}/{row.dot.seq}  (object {row.first})  {row.reason}")
    _tell(f"{len(rows)} quarantined" if rows else "nothing is quarantined")
    raise typer.Exit(report.UNHEALTHY if rows else report.HEALTHY)


def fresh_generation() -> str:
    """A generation's name: sortable by age, and never used before even where two begin at once."""
    return f"{now()[:19].replace(':', '')}-{uuid.uuid4().hex[:8]}"


def _say_rebuilt(rebuilt: Rebuilt, deleted: int) -> None:
    swept = rebuilt.swept
    print(f"{swept.entries} entries of {swept.writers} writers in generation {rebuilt.generation}")
    for reason in swept.reasons:
        print(f"  quarantined {reason}")
    for writer, why in swept.short.items():
        print(f"  {writer} {why}")
    if rebuilt.flipped:
        print(f"✓ it serves now; {deleted} items of {rebuilt.old.generation} deleted")
    elif swept.short:
        print(
            f"✗ not flipped: {rebuilt.old.generation} knows entries the log does not hold any more.\n"
            "  Put them back, or run this again with --accept-loss."
        )
    else:
        print("✗ not flipped: another rebuild was first. Its generation serves; nothing is lost.")


@contextmanager
def _reading(stores: Stores, *, quiet: bool) -> Iterator[Log]:
    """The whole log, with a bar while it is read; packs that were of no use are named."""
    log = stores.whole_log
    with watched(log, Console(stderr=True), quiet=quiet) as ahead:
        yield ahead
    for name, why in (log.passed_over if isinstance(log, PackedLog) else {}).items():
        _tell(f"pack {name} was passed over: {why}. `pack` makes it again.")


def _say_restored(restored: Restored, tenant: str, *, as_json: bool, **digests: object) -> None:
    if as_json:
        report.dump({**asdict(restored), "rebuilt": restored.rebuilt.told(), **digests})
        return
    _say_rebuilt(restored.rebuilt, 0)
    print(
        f"{restored.objects} objects brought back, {len(restored.strays)} names left that are none"
    )
    if digests:
        mark = "✓ equal to" if digests["equal"] else "✗ NOT EQUAL to"
        print(f"digest {digests['digest']}  {mark} that of the export")
    print("These names are held, since the copy may lack their last entries. Go on under others:")
    for writer in restored.writers:
        print(f"  {writer}  →  precedent-admin writer add {writer[:61]}.2 --tenant {tenant}")


def _errors() -> Console:
    return Console(stderr=True)


def _tell(text: str) -> None:
    print(text, file=sys.stderr)
