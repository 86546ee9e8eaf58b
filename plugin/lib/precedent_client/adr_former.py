"""What the service holds of these files already: an import says what changed, and nothing twice.

A record's identity is its file: the `adr` reference, on the repository's element. A decision in force that
came from the same file is the *former* of an entry, and one of these happens to it:

- the same contents (`supersedes` apart), and nothing the file says it supersedes is in force:
  the entry becomes the former itself, so recording it writes nothing;
- other contents, or a status that changed: the entry supersedes its former;
- contents the file had once, before the former: whoever imports has an old checkout, and the entry
  becomes that older decision, which was superseded;
- no former in force, because the record was superseded or withdrawn, and contents that changed since:
  the entry is left out, and named.
"""

from __future__ import annotations

from typing import Any

from precedent_client import adr_origin, adr_plan, canonical, recall
from precedent_client.faults import Unreachable
from precedent_client.render import items, members, objects
from precedent_client.service import Service

Json = dict[str, Any]
Identity = tuple[str, str]


class Formers:
    """The decisions the service holds that came from files of this repository."""

    def __init__(self, service: Service, repository: str) -> None:
        self._service = service
        self._contents: dict[str, Json] = {}
        answer = recall.fetch(service, recall.Area([f"repository:{repository}"]), pages=None)
        if answer["state"] == "unavailable":
            raise Unreachable("What was imported before could not be read; nothing was recorded.")
        self.by_file: dict[Identity, list[str]] = {}
        for found in sorted(answer["decisions"]):
            for identity in identities(answer["decisions"][found]):
                self.by_file.setdefault(identity, []).append(found)
        self.in_force = {found for ids in self.by_file.values() for found in ids}

    def content(self, found: str) -> Json:
        """A decision as it was recorded, whether in force or not; `{}` once its text is gone."""
        if found not in self._contents:
            answer = self._service.get_of_project(f"/decisions/{found}").body
            self._contents[found] = members(answer, "decision")
        return self._contents[found]

    def before(self, found: str, identity: Identity) -> list[str]:
        """What a decision superseded that came from this file, and what that had, newest first."""
        older: dict[str, bool] = {}
        waiting = [found]
        while waiting:
            for name in items(self.content(waiting.pop(0)), "supersedes"):
                if name not in older and identity in identities(self.content(str(name))):
                    older[str(name)] = True
                    waiting.append(str(name))
        return list(older)


def identities(decision: Json) -> list[Identity]:
    """The files a decision came from."""
    refs = objects(decision, "refs")
    return [
        (str(ref["rel"]), str(ref["url"]))
        for ref in refs
        if ref.get("rel") in (adr_plan.RECORD, adr_plan.WITHDRAWAL) and ref.get("url")
    ]


def look_up(service: Service, plan: Json) -> None:
    """Bring a plan up to what the service holds: its entries, its counts and what there is to say."""
    formers = Formers(service, plan["repository"])
    plan["kept"] = []
    adr_origin.settle(service, plan, formers.by_file)
    work = _Work(formers, plan["entries"])
    work.find_displaced()
    plan["entries"] = work.settle()
    plan["kept"] += work.kept
    plan["notes"] = [*plan["notes"], *_gone(formers, plan)]
    plan["counts"] = {
        **plan["counts"],
        "decisions": len(plan["entries"]),
        "known": sum(1 for entry in plan["entries"] if entry["known"]),
        "edited": work.edited,
        "kept": len(plan["kept"]),
    }


class _Work:
    """One plan being compared, entry by entry."""

    def __init__(self, formers: Formers, entries: list[Json]) -> None:
        self.formers = formers
        self.entries = entries
        self.kept: list[Json] = []
        self.edited = 0
        self.ids: dict[str, str] = {}
        self.new: set[str] = set()
        """The names of entries that will be in force once this is recorded, and were not before."""
        self.displaced: dict[str, list[str]] = {}
        """By name: decisions from the same file that what superseded the entry had superseded."""
        self.known: set[str] = set()
        """The names of entries the service holds just as they are."""
        self.by_name = {entry["name"]: entry for entry in entries}

    def find_displaced(self) -> None:
        """Follow what stands in force to what it superseded: that is no longer recalled."""
        for entry in reversed(self.entries):  # what supersedes comes after what is superseded
            held, links = self._held(entry), items(entry["decision"], "supersedes")
            if entry["id"] in held or entry["name"] in self.known:
                # An id covers everything it names, so what this supersedes is known as well.
                self.known.update([entry["name"], *links])
                continue
            for former in held + self.displaced.get(entry["name"], []):
                for older in items(self.formers.content(former), "supersedes"):
                    self._note_displaced(str(older), links)

    def _note_displaced(self, older: str, links: list[str]) -> None:
        came_from = identities(self.formers.content(older))
        for name in links:
            if name in self.by_name and _identity(self.by_name[name]) in came_from:
                self.displaced.setdefault(name, []).append(older)

    def settle(self) -> list[Json]:
        """The entries to record."""
        kept = [entry for entry in self.entries if self._settle(entry)]
        # A name that stands for no entry any more is the decision it stood for.
        gone = {one["file"]: one["id"] for one in self.kept}
        for entry in kept:
            decision = entry["decision"]
            if "supersedes" in decision:
                decision["supersedes"] = [gone.get(name, name) for name in decision["supersedes"]]
        adr_plan.number_entries(kept)
        return kept

    def _held(self, entry: Json) -> list[str]:
        return self.formers.by_file.get(_identity(entry), [])

    def _settle(self, entry: Json) -> bool:
        """Compare one entry; whether it stays in the plan."""
        name, held = entry["name"], self._withdrawals(entry) + self._held(entry)
        plain = canonical.decision_id(adr_plan.with_ids(entry["decision"], self.ids))
        entry["known"] = name in self.known
        if held and held != [plain]:
            if known := self._unchanged(entry, held):
                return self._becomes(entry, known)
            links = items(entry["decision"], "supersedes")
            entry["decision"]["supersedes"] = [*held, *links]
            entry["known"] = False
            entry["warnings"].append(f"changed since it was imported: supersedes {', '.join(held)}")
            self.edited += 1
        elif former := self.displaced.get(name):
            same = [found for found in former if self._is_same(found, entry)]
            if same:
                return self._becomes(entry, same[0])
            self.ids[name] = former[0]
            reason = f"its text changed after {former[0]} had been superseded; not recorded"
            self.kept.append({"file": name, "id": former[0], "reason": reason})
            return False
        if not entry["known"]:
            self.new.add(name)
        self.ids[name] = canonical.decision_id(adr_plan.with_ids(entry["decision"], self.ids))
        return True

    def _unchanged(self, entry: Json, held: list[str]) -> str | None:
        """The decision an entry is already: the one in force, or one it had before that."""
        same = [found for found in held if self._is_same(found, entry)]
        if same:
            only = same == held and len(held) == 1
            return held[0] if only and not self._still_to_supersede(entry) else None
        for found in held:
            for older in self.formers.before(found, _identity(entry)):
                if self._is_same(older, entry):
                    entry["warnings"].append(
                        f"had this text before {found} changed it; left as it is"
                    )
                    return older
        return None

    def _withdrawals(self, entry: Json) -> list[str]:
        """Notes in force that withdrew a file which no longer says that it is out of force."""
        if (
            entry["standing"] == "withdrawal"
            or adr_plan.withdrawal_of(entry["name"]) in self.by_name
        ):
            return []
        return self.formers.by_file.get((adr_plan.WITHDRAWAL, _identity(entry)[1]), [])

    def _becomes(self, entry: Json, found: str) -> bool:
        entry["decision"] = dict(self.formers.content(found))
        entry["known"] = True
        self.ids[entry["name"]] = found
        return True

    def _is_same(self, found: str, entry: Json) -> bool:
        return bool(_bare(self.formers.content(found)) == _bare(entry["decision"]))

    def _still_to_supersede(self, entry: Json) -> bool:
        """Whether something stands that this file says it supersedes."""
        links = items(entry["decision"], "supersedes")
        return any(
            self.ids.get(name, name) in self.formers.in_force or name in self.new for name in links
        )


def _identity(entry: Json) -> Identity:
    found = identities(entry["decision"])
    return found[0] if found else (adr_plan.RECORD, entry["name"])


def _bare(decision: Json) -> Any:
    return {name: value for name, value in decision.items() if name != "supersedes"}


def _gone(formers: Formers, plan: Json) -> list[str]:
    """Decisions in force whose file is not in the folder any more."""
    others = [*plan["kept"], *plan["unread"], *plan["skipped"]]
    here = {plan["folder"] + entry["name"] for entry in plan["entries"]}
    here |= {plan["folder"] + one["file"] for one in others}
    return [
        f"{url} is not here any more; {', '.join(ids)} stays in force"
        for (rel, url), ids in sorted(formers.by_file.items())
        if rel == adr_plan.RECORD and url.startswith(plan["folder"]) and url not in here
    ]
