"""What the digest of a log has to be, worked out from its bytes with the standard library alone.

Shares no code with the domain: it reads lines, hashes and displacements by the words of the contract.
"""

import hashlib
import json
from collections import defaultdict


def digest(objects, tenant="acme", project="shop"):
    """(sum modulo 2^256, entries) of every valid line of a log."""
    entries, lost = {}, defaultdict(list)
    for (writer, first), data in objects.items():
        for seq, raw in enumerate(data.removesuffix(b"\n").split(b"\n"), first):
            if entry := valid(raw, tenant, project, writer, seq):
                entries[writer, seq] = entry
    for dot, entry in entries.items():
        for element, slot, displaced, _ in entry["displaces"]:
            lost[tuple(displaced)].append([element, slot, list(dot)])
    rows = [
        [list(dot), entry["decision"][1], sorted(entry["claims"]), sorted(lost[dot])]
        for dot, entry in entries.items()
    ]
    return sum(int(sha(canonical(row)), 16) for row in rows) % 2**256, len(rows)


def valid(raw, tenant, project, writer, seq):
    """The entry of a line whose every hash holds and which lies where it says."""
    try:
        line = json.loads(raw)
        entry, intent = line["entry"], line["intent"]
    except (ValueError, LookupError, TypeError):
        return None
    named = (intent["tenant"], intent["project"], intent["writer"], entry["writer"], entry["seq"])
    hashes = (sha(canonical(entry)), sha(canonical(intent)), sha(canonical(line["decision"])))
    here = named == (tenant, project, writer, writer, seq) and entry["v"] == 1
    return (
        entry if here and hashes == (line["hash"], entry["intent"], entry["decision"][1]) else None
    )


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sha(data):
    return hashlib.sha256(data).hexdigest()
