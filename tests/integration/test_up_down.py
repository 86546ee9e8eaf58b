"""The launcher: what is recorded survives everything, and every bad start says the way out.

These tests start and kill local AWSs of their own.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from local import deploy, process, say, up
from local.home import TENANT, Home, first_writer, read_exports, write_exports

from .conftest import free_port

KEY = "beside/{:012d}.jsonl"
"""Beside the log, so that nothing projects it: here it only matters that it stays."""


def kill(home: Home) -> None:
    """What a power cut does to the server."""
    pid = process.running(home)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def put(home: Home, deployed: deploy.Deployed, number: int) -> None:
    deploy.client(home, "s3").put_object(
        Bucket=deployed.log_bucket, Key=KEY.format(number), Body=b"%d\n" % number, IfNoneMatch="*"
    )


def objects(home: Home, deployed: deploy.Deployed) -> dict[str, bytes]:
    s3 = deploy.client(home, "s3")
    listed = s3.list_objects_v2(Bucket=deployed.log_bucket).get("Contents", [])
    return {
        item["Key"]: s3.get_object(Bucket=deployed.log_bucket, Key=item["Key"])["Body"].read()
        for item in listed
    }


def token_of(home: Home) -> str:
    return read_exports(home.env)["PRECEDENT_TOKEN"]


def test_state_survives_a_stop_and_a_kill(home: Home) -> None:
    first = up.up(home)
    token = token_of(home)
    put(home, first.deployed, 1)
    assert up.up(home).deployed == first.deployed  # again while it runs: nothing changes
    assert up.down(home)
    assert not up.down(home)
    assert list(home.tmp.iterdir()) == []

    second = up.up(home)
    assert second.deployed == first.deployed
    put(home, second.deployed, 2)
    kill(home)

    third = up.up(home)
    assert third.deployed == first.deployed
    assert token_of(home) == token
    identity = up.access(home, third.deployed).identify(token)
    assert identity is not None
    assert (identity.tenant, identity.writer, identity.role) == (TENANT, first_writer(), "writer")
    assert objects(home, third.deployed) == {KEY.format(1): b"1\n", KEY.format(2): b"2\n"}
    versioning = deploy.client(home, "s3").get_bucket_versioning(Bucket=third.deployed.log_bucket)
    assert versioning["Status"] == "Enabled"


def test_a_writer_survives_a_kill_and_a_revoked_one_stays_revoked(home: Home) -> None:
    up.up(home)
    path = up.add_writer(home, "bob.desk", "reader", "shop")
    assert path.stat().st_mode & 0o777 == 0o600
    values = read_exports(path)
    assert values["PRECEDENT_URL"] == home.url
    assert values["PRECEDENT_PROJECT"] == "shop"
    kill(home)
    table = up.access(home, up.up(home).deployed)
    identity = table.identify(values["PRECEDENT_TOKEN"])
    assert identity is not None
    assert identity.role == "reader"

    up.revoke_writer(home, "bob.desk")
    kill(home)
    table = up.access(home, up.up(home).deployed)
    assert table.identify(values["PRECEDENT_TOKEN"]) is None

    own = token_of(home)
    up.revoke_writer(home, first_writer())
    table = up.access(home, up.up(home).deployed)  # `up` gives it no other token by itself
    assert token_of(home) == own
    assert table.identify(own) is None


def test_killed_in_the_first_deploy(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(_: Home) -> deploy.Deployed:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(deploy, "deploy_functions", cut)
        with pytest.raises(KeyboardInterrupt):
            up.up(home)
    kill(home)
    assert up.up(home).writer == first_writer()


@pytest.mark.parametrize("moment", ["before", "set aside", "brought back"])
def test_the_log_is_adopted_when_all_other_state_is_lost(
    home: Home, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    deployed = up.up(home).deployed
    for number in range(1, 4):
        put(home, deployed, number)
    before = objects(home, deployed)
    kill(home)
    shutil.rmtree(home.state)

    if moment != "before":  # cut the adoption short as well
        name = "_set_log_aside" if moment == "set aside" else "_bring_log_back"
        whole = getattr(up, name)

        def cut(*arguments: object) -> None:
            whole(*arguments)
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(up, name, cut)
            with pytest.raises(KeyboardInterrupt):
                up.up(home)
        kill(home)

    again = up.up(home).deployed
    assert objects(home, again) == before
    versioning = deploy.client(home, "s3").get_bucket_versioning(Bucket=again.log_bucket)
    assert versioning["Status"] == "Enabled"
    identity = up.access(home, again).identify(token_of(home))
    assert identity is not None
    assert identity.writer == first_writer()
    kill(home)
    assert objects(home, up.up(home).deployed) == before


def test_what_was_half_written_does_not_come_back(home: Home) -> None:
    deployed = up.up(home).deployed
    put(home, deployed, 1)
    kill(home)
    (written,) = home.objects.rglob("*.jsonl")
    written.with_name("000000000002.jsonl.tmp").write_bytes(b"hal")
    (home.state / "dynamodb.json.tmp").write_text("{")
    assert set(objects(home, up.up(home).deployed)) == {KEY.format(1)}


def test_a_killed_server_leaves_no_worker_behind(home: Home) -> None:
    deployed = up.up(home).deployed
    deploy.client(home, "lambda").invoke(FunctionName=deployed.functions["recall"], Payload=b"{}")
    kill(home)
    process.stop(home)
    assert list(home.tmp.iterdir()) == []
    assert not any(str(home.root) in command for command in process.processes().values())


def test_a_busy_port_is_named_with_the_way_out(home: Home) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", home.port))
        other.listen()
        with pytest.raises(say.Trouble, match=f"port {home.port} is in use") as caught:
            up.up(home)
    assert f"PRECEDENT_PORT={home.port + 1}" in caught.value.way_out


def test_a_pid_that_is_somebody_elses_is_left_alone(home: Home) -> None:
    home.prepare()
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as other:
        home.running.write_text(json.dumps({"pid": other.pid, "port": home.port}))
        assert not up.down(home)
        assert other.poll() is None
        home.running.write_text(json.dumps({"pid": other.pid, "port": home.port}))
        up.up(home)
        assert process.running(home) != other.pid
        assert other.poll() is None
        other.kill()


def test_a_home_deleted_under_its_server_starts_afresh(home: Home) -> None:
    put(home, up.up(home).deployed, 1)
    old = process.running(home)
    shutil.rmtree(home.root)
    new = up.up(home)
    assert process.running(home) != old
    assert objects(home, new.deployed) == {}


@pytest.mark.parametrize("text", ["", "{", '{"pid": "1"}', "[]", '{"pid": 999999999}'])
def test_a_broken_pid_file_is_no_process(home: Home, text: str) -> None:
    home.prepare()
    home.running.write_text(text)
    assert process.running(home) is None
    assert not up.down(home)


def test_two_at_once_wait_for_each_other(home: Home) -> None:
    done: list[up.Up] = []
    threads = [threading.Thread(target=lambda: done.append(up.up(home))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 2
    assert done[0].deployed == done[1].deployed


def test_moving_to_another_port_keeps_the_token(home: Home) -> None:
    up.up(home)
    token = token_of(home)
    moved = Home(home.root, free_port())
    up.up(moved)
    assert read_exports(moved.env) == {
        "PRECEDENT_URL": moved.url,
        "PRECEDENT_TOKEN": token,
        "PRECEDENT_PROJECT": up.DEFAULT_PROJECT,
    }
    assert process.port_of_running(home) == moved.port


def test_nothing_runs_for_writer(home: Home) -> None:
    with pytest.raises(say.Trouble, match="nothing is running") as caught:
        up.add_writer(home, "bob.desk", "writer", "demo")
    assert "make up" in caught.value.way_out


def test_the_env_file_can_be_sourced(tmp_path: Path) -> None:
    values = {"PRECEDENT_URL": "http://127.0.0.1:1/$default", "PRECEDENT_TOKEN": 'it\'s; a "t" `x`'}
    path = tmp_path / "env"
    write_exports(path, values)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_exports(path) == values
    printed = subprocess.run(
        ["sh", "-c", f'. "{path}"; printf "%s\\n%s" "$PRECEDENT_URL" "$PRECEDENT_TOKEN"'],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed.split("\n") == list(values.values())


def test_the_server_is_reached_from_this_machine_only(home: Home) -> None:
    up.up(home)
    listening = Path("/proc/net/tcp")
    if not listening.exists():
        pytest.skip("needs /proc")
    pid = process.running(home)
    inodes = {
        link.readlink().name.removeprefix("socket:[").removesuffix("]")
        for link in Path(f"/proc/{pid}/fd").iterdir()
        if link.is_symlink() and str(link.readlink()).startswith("socket:")
    }
    rows = [
        line.split()
        for table in ("/proc/net/tcp", "/proc/net/tcp6")
        if Path(table).exists()
        for line in Path(table).read_text().splitlines()[1:]
    ]
    mine = [row[1] for row in rows if row[3] == "0A" and row[9] in inodes]
    assert mine == [f"0100007F:{home.port:04X}"]


@pytest.mark.parametrize("port", ["x", "0", "80", "70000"])
def test_a_bad_port_is_refused(monkeypatch: pytest.MonkeyPatch, port: str) -> None:
    monkeypatch.setenv("PRECEDENT_PORT", port)
    with pytest.raises(say.Trouble, match="is not a port"):
        Home.from_environment()


@pytest.mark.parametrize(
    "part",
    ["dynamodb.json", "lambda.json", "cloudformation.json", "iam.json", "apigateway.json"],
)
def test_a_state_with_a_part_missing_is_named_with_a_way_out_that_works(
    home: Home, part: str
) -> None:
    up.up(home)
    process.stop(home)
    (home.state / part).unlink()
    ways_out = []
    with suppress(say.Trouble):  # some parts are made again
        try:
            up.up(home)
        except say.Trouble as trouble:
            ways_out.append(trouble.way_out)
            raise
    if ways_out:
        assert all(f"mv {home.state} {home.state}.broken" in way for way in ways_out)
        process.stop(home)
        home.state.rename(home.state.with_suffix(".broken"))
        up.up(home)
    asked = urllib.request.Request(
        f"{home.url}/v1/whoami", headers={"Authorization": f"Bearer {token_of(home)}"}
    )
    with urllib.request.urlopen(asked, timeout=60) as answer:
        assert answer.status == 200


def test_a_log_that_is_gone_is_not_begun_anew_in_silence(home: Home) -> None:
    up.up(home)
    process.stop(home)
    shutil.rmtree(home.objects)
    with pytest.raises(say.Trouble, match="the log is gone") as trouble:
        up.up(home)
    assert "Put it back" in trouble.value.way_out
