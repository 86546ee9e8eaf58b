"""What a person has set: where the service is, who they are to it, and which project this is.

Each of these is one source, first that has it:

1. the environment: PRECEDENT_URL, PRECEDENT_TOKEN, PRECEDENT_PROJECT
2. the plugin's options, as a coding agent hands them to its hooks: CLAUDE_PLUGIN_OPTION_URL, …
3. what `precedent login` stored, and what a hook was last handed

A token goes only to the URL that came with it, or that is the same: a URL set by one source never gets the
token of another. The project may also be named by a repository whose configuration a person has trusted
(`trust`), and is otherwise made from the git remote.

Hooks import this module: it loads neither `re` nor `json`.
"""

from __future__ import annotations

import os

from precedent_client import durable, fast_json, worktree

NAMES = ("url", "token", "project")
_SOURCES = (("environment", "PRECEDENT_"), ("plugin", "CLAUDE_PLUGIN_OPTION_"))
_PROJECT_LIMIT = 64
_FIRST = "abcdefghijklmnopqrstuvwxyz0123456789"


class Settings:
    """What is set; empty where nothing is. Not yet checked: `config` does, and says what is wrong."""

    __slots__ = ("project", "project_from", "token", "url", "url_from")

    def __init__(self) -> None:
        self.url = self.token = self.project = ""
        self.url_from = self.project_from = ""

    @property
    def complete(self) -> bool:
        """Whether there is anything to ask, and nothing in it that could not be sent."""
        texts = (self.url, self.token)
        return is_project(self.project) and all(
            text and text.isascii() and text.isprintable() and " " not in text for text in texts
        )


def find(folder: str | None = None) -> Settings:
    """What is set for the repository around a folder, the working directory unless one is given."""
    found = Settings()
    sources = _sources()
    for name, values in sources:
        if values["url"]:
            found.url, found.url_from = bare(values["url"]), name
            break
    found.token = token_for(found.url, sources)
    _find_project(found, folder or os.curdir, sources)
    return found


def token_for(url: str, sources: list[tuple[str, dict[str, str]]] | None = None) -> str:
    """The token that goes with a URL; empty if there is none."""
    for name, values in sources or _sources():
        # The environment may hold a token alone, beside a URL that was stored: a person put it there.
        same = bare(values["url"]) == url or (name == "environment" and not values["url"])
        if values["token"] and same:
            return values["token"]
    return ""


def is_project(name: str) -> bool:
    """Whether a project may be called so."""
    whole = name[:1] in _FIRST and all(one in _FIRST or one in "._-" for one in name)
    return 0 < len(name) <= _PROJECT_LIMIT and whole


def bare(url: str) -> str:
    """A URL as it is kept: without `/v1` and slashes at its end."""
    url = url.strip().rstrip("/")
    return url[: -len("/v1")].rstrip("/") if url.endswith("/v1") else url


def project_of(remote: str) -> str:
    """The project of a repository nobody has named one for: from the whole of its remote, because two
    repositories may end in the same name.

    >>> project_of("github.com/acme/shop")
    'github.com.acme.shop'
    """
    name = remote.lower().replace("/", ".")
    name = "".join(one if one in _FIRST or one in "._-" else "-" for one in name)
    name = name.lstrip("._-")
    if len(name) > _PROJECT_LIMIT:
        name = name[: _PROJECT_LIMIT - 13] + "-" + durable.named(remote)[:12]
    return name


def stored_path() -> str:
    """The file `precedent login` writes, for this person's eyes only."""
    return durable.settings("login.json")


def handed_path() -> str:
    """The file in which a hook leaves the plugin's options for the commands an agent runs."""
    return durable.state("plugin.json")


def keep_handed() -> None:
    """Leave the plugin's options for the commands: an agent's shell is not given them. Raises OSError."""
    values = _from_environment(_SOURCES[1][1])
    if values["url"] and values["token"] and values != _from_file(handed_path()):
        durable.write(handed_path(), fast_json.dumps(values).encode())


def _sources() -> list[tuple[str, dict[str, str]]]:
    found = [(name, _from_environment(prefix)) for name, prefix in _SOURCES]
    return [
        *found,
        ("login", _from_file(stored_path())),
        ("plugin", _from_file(handed_path())),
    ]


def _from_environment(prefix: str) -> dict[str, str]:
    return {name: os.environ.get(prefix + name.upper(), "").strip() for name in NAMES}


def _from_file(path: str) -> dict[str, str]:
    raw = durable.read(path)
    try:
        found = fast_json.loads(raw) if raw else {}
    except ValueError:
        found = {}
    values = found if isinstance(found, dict) else {}
    return {name: str(values.get(name) or "") for name in NAMES}


def _find_project(found: Settings, folder: str, sources: list[tuple[str, dict[str, str]]]) -> None:
    """The environment, then what this repository says, then what holds for every repository."""
    stated = [(name, values["project"]) for name, values in sources if values["project"]]
    if stated and stated[0][0] == "environment":
        found.project_from, found.project = stated[0]
        return
    tree = worktree.find(folder)
    trusted = _trusted(tree.root) if tree else ""
    if trusted:
        found.project_from, found.project = "repository", trusted
    elif stated:
        found.project_from, found.project = stated[0]
    elif tree and (url := tree.remote()):
        found.project_from, found.project = "remote", _project_of_url(url)


def _trusted(root: str) -> str:
    from precedent_client import trust

    return trust.trusted(root).project


def _project_of_url(url: str) -> str:
    """Remembered, because normalising a remote loads `re`, and a hook has no time for that."""
    path = durable.state("projects", durable.named(url))
    known = durable.read(path)
    if known is None:
        from precedent_client.repository import normalised_remote

        known = project_of(normalised_remote(url) or "").encode()
        try:
            durable.write(path, known)
        except OSError:
            pass  # then it is normalised each time
    return known.decode("ascii", "replace")
