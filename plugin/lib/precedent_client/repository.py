"""Where the work happens: repository, branch and commit, read from git if there is a git.

Works from subdirectories and worktrees, because git itself is asked. Without git the facts are left out.
"""

from __future__ import annotations

import os
import re

_SCP_LIKE = re.compile(r"(?:[^@/:\s]+@)?(\[[0-9a-fA-F:]+\]|[^/:@\s]+):(?!//)(.+)\Z")
_URL = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^@/]*@)?([^/?#]+)/([^?#]+)", re.IGNORECASE)
_DEFAULT_PORT = re.compile(r":(22|80|443|9418)\Z")


def git(*arguments: str, folder: str | None = None) -> str | None:
    """What git says, or None where it says nothing."""
    import subprocess

    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            capture_output=True,
            timeout=5,
            check=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    # Without its line end only: a file name may end in a space.
    return done.stdout.decode("utf-8", "replace").rstrip("\r\n") or None


def normalised_remote(url: str) -> str | None:
    """`host/path` of a remote, without credentials and `.git`; None for a path of this machine.

    >>> normalised_remote("https://someone:password@Example.com/acme/shop.git")
    'example.com/acme/shop'
    """
    url = url.strip()
    match = _URL.match(url)
    if match is None:
        # `C:/…` is a Windows path, not a host with one letter.
        match = None if re.match(r"[A-Za-z]:[\\/]", url) else _SCP_LIKE.match(url)
    if match is None or url.lower().startswith("file:"):
        return None
    host = _DEFAULT_PORT.sub("", match.group(1).lower())
    path = re.sub(r"/{2,}", "/", match.group(2)).strip("/")
    if path.lower().endswith(".git"):
        path = path[: -len(".git")].rstrip("/")
    return f"{host}/{path}" if host and path else None


def remote(folder: str | None = None) -> str | None:
    """The remote `origin`, normalised."""
    url = git("config", "--get", "remote.origin.url", folder=folder)
    return normalised_remote(url) if url else None


def circumstances(folder: str | None = None) -> dict[str, str]:
    """Who records, and from which repository: the one around a folder, or where the command was called."""
    from precedent_client import session

    found = {
        "agent": _agent(),
        "session": session.stated(),
        "repository": remote(folder),
        "branch": git("symbolic-ref", "--short", "-q", "HEAD", folder=folder),
        "commit": git("rev-parse", "--verify", "-q", "HEAD", folder=folder),
    }
    limits = {"agent": 200, "session": 200, "repository": 500, "branch": 250, "commit": 64}
    return {name: value[: limits[name]] for name, value in found.items() if value}


def _agent() -> str | None:
    named = os.environ.get("PRECEDENT_AGENT", "").strip()
    if named:
        return named
    if os.environ.get("CLAUDECODE") or os.environ.get("CLAUDE_SESSION_ID"):
        return "claude-code"
    if os.environ.get("CODEX_SESSION_ID") or os.environ.get("CODEX_SANDBOX"):
        return "codex"
    return None


_ROOMS = {
    "adr", "adrs", "doc", "docs", "documentation", "architecture", "decisions", "decision",
    "decision-records", "architecture-decisions", "architecture-decision-records", "records",
}  # fmt: skip


def project_name(folder: str) -> str:
    """What to call the repository a folder belongs to: its remote's name, else its folder's."""
    known = remote(folder)
    if known:
        return known.rsplit("/", 1)[1]
    common = git("rev-parse", "--path-format=absolute", "--git-common-dir", folder=folder)
    if common:  # the main work tree, so that a worktree is no second repository
        root = os.path.dirname(common) if os.path.basename(common) == ".git" else common
        name = os.path.basename(root)
        return name.removesuffix(".git")
    path = os.path.abspath(folder)
    while os.path.basename(path).lower() in _ROOMS and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return os.path.basename(path) or "repository"


def path_in_repository(folder: str) -> str | None:
    """The folder's path relative to the repository's root with a trailing `/`, "" at the root."""
    if git("rev-parse", "--is-inside-work-tree", folder=folder) != "true":
        return None
    return git("rev-parse", "--show-prefix", folder=folder) or ""
