"""Records that `precedent export --adr` wrote: what of them is here already, and what was edited since.

One that was not edited is the decision it was made of; it is left out of the plan, and what supersedes it names its
id. An edited one supersedes that decision and keeps what it sets. One that came from another project is imported as
any record is, with the id it has there as a reference.
"""

from __future__ import annotations

from typing import Any

from precedent_client import adr_plan, canonical, changes
from precedent_client.render import items, members, objects
from precedent_client.service import Service

Json = dict[str, Any]


def settle(service: Service, plan: Json, by_file: dict[tuple[str, str], list[str]]) -> None:
    """Bring the entries that were exported up to what the service holds. `by_file` is who came from which file."""
    if not any(entry.get("origin") for entry in plan["entries"]):
        return
    in_force: dict[str, bool] = {}
    for one in changes.fetch(service, None)[0]:
        in_force[str(one.get("id"))] = bool(one.get("in_force"))
    work = _Work(service, in_force, by_file)
    kept = [entry for entry in plan["entries"] if work.stays(entry)]
    for entry in kept:
        decision = entry["decision"]
        if "supersedes" in decision:
            named = [work.ids.get(name, name) for name in decision["supersedes"]]
            decision["supersedes"] = list(dict.fromkeys(named))
    adr_plan.number_entries(kept)
    plan["entries"] = kept
    plan["kept"] = work.kept


class _Work:
    """A plan's entries, one after the other."""

    def __init__(
        self,
        service: Service,
        in_force: dict[str, bool],
        by_file: dict[tuple[str, str], list[str]],
    ) -> None:
        self.service = service
        self.in_force = in_force
        self.by_file = by_file
        self.kept: list[Json] = []
        self.ids: dict[str, str] = {}
        """By name of an entry: the decision of the service that it stands for."""

    def stays(self, entry: Json) -> bool:
        """Whether an entry stays in the plan; one that does is what it is to be recorded as."""
        if entry["standing"] == "withdrawal":
            withdrawn = self.ids.get(items(entry["decision"], "supersedes")[0])
            return withdrawn is None or self.in_force.get(withdrawn, False)
        origin = entry.get("origin")
        if not origin or origin["id"] not in self.in_force:
            return True
        if origin["unchanged"]:
            return self._left(entry, origin)
        self._edited(entry, origin["id"])
        if entry["decision"].get("supersedes") == []:
            del entry["decision"]["supersedes"]
        file = objects(entry["decision"], "refs")[0]
        if self.in_force[origin["id"]] or self.by_file.get((file["rel"], file["url"])):
            return True
        self.ids[entry["name"]] = origin["id"]
        reason = f"its text changed after {origin['id']} had been superseded; not recorded"
        self.kept.append({"file": entry["name"], "id": origin["id"], "reason": reason})
        return False

    def _left(self, entry: Json, origin: Json) -> bool:
        self.ids[entry["name"]] = origin["id"]
        reason = "as it was exported"
        told = {"adopted": "accepted", "note": "proposed"}.get(entry["standing"], entry["standing"])
        if told not in (origin["status"], "superseded", "deprecated"):
            reason += f"; that its status is {told} now was not taken: record that decision"
        self.kept.append({"file": entry["name"], "id": origin["id"], "reason": reason})
        return False

    def _edited(self, entry: Json, identity: str) -> None:
        """Let an entry be what its decision was, with another text."""
        shown = self.service.get_of_project(f"/decisions/{identity}").body
        former = members(shown, "decision")
        decision = entry["decision"]
        repository = [one for one in decision["mutations"] if one.get("kind") == "repository"]
        sets = objects(former, "mutations")
        decision["mutations"] = [*sets, *(one for one in repository if one not in sets)]
        before = items(former, "supersedes")
        links = [
            name for name in items(decision, "supersedes") if self.ids.get(name, name) not in before
        ]
        supersedes = [identity] if self.in_force[identity] else []
        decision["supersedes"] = [*supersedes, *links]
        entry["id"] = canonical.decision_id(adr_plan.with_ids(decision, self.ids))
        entry["warnings"].append(f"edited since it was exported from {identity}")
