"""A real Home Assistant on a bare Debian 13, driven by its REST interface as its pages do it."""

import json
import shutil
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.deploy.bare_debian import MOUNTS, PATH, BareDebian, wait_until

NEEDED = ("python3-venv", "python3-dev", "gcc", "g++", "libc6-dev", "ca-certificates")
PLACE, CONFIG = "/ha", "/config"
START_S = 900
"""At its first start it installs what its integrations need."""

CONFIGURATION = """
homeassistant:
  name: Home
  time_zone: UTC
http:
  server_host: 127.0.0.1
  server_port: {port}
api:
config:
onboarding:
websocket_api:
mobile_app:
recorder:
  commit_interval: 1
automation: !include automations.yaml
logger:
  default: warning
"""


class HomeAssistant:
    """One installation.

    Args:
        debian: where it is installed.
        port: of its pages, on this machine only.

    """

    def __init__(self, debian: BareDebian, port: int) -> None:
        self._debian, self._port = debian, port
        self._process: subprocess.Popen[bytes] | None = None
        self._token = ""

    def install(self) -> None:
        """The newest that this Debian's Python takes."""
        debian = self._debian
        debian.run("apt-get", "update", "-qq")
        debian.run("apt-get", "install", "-qqy", "--no-install-recommends", *NEEDED)
        debian.run("python3", "-m", "venv", PLACE)
        debian.run(f"{PLACE}/bin/pip", "install", "-qq", "--disable-pip-version-check",
                   "homeassistant")  # fmt: skip

    @property
    def version(self) -> str:
        return self._debian.run(f"{PLACE}/bin/hass", "--version").strip()

    def configure(self, *blueprints: Path) -> None:
        """An empty house, with blueprints in its folder."""
        place = self.config / "blueprints/automation/topple"
        place.mkdir(parents=True)
        for blueprint in blueprints:
            shutil.copy(blueprint, place)
        (self.config / "configuration.yaml").write_text(CONFIGURATION.format(port=self._port))
        (self.config / "automations.yaml").write_text("[]\n")

    @property
    def config(self) -> Path:
        return self._debian.root / CONFIG.lstrip("/")

    @property
    def log(self) -> str:
        """All warnings and errors so far."""
        return (self._debian.root / "hass.log").read_text(errors="replace")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self._debian.root / "hass.log").open("ab") as log:
            self._process = subprocess.Popen(
                ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", MOUNTS,
                 str(self._debian.root), "env", "-i", f"PATH={PLACE}/bin:{PATH}", "HOME=/root",
                 "LC_ALL=C.UTF-8", "SSL_CERT_FILE=/release.crt", "PIP_CERT=/release.crt",
                 "hass", "--config", CONFIG],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            )  # fmt: skip
        wait_until(self._answers, f"Home Assistant: {self.log[-2000:]}", START_S)

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.log
        try:
            self.ask("GET", "/api/" if self._token else "/api/onboarding")
        except OSError:
            return False
        return True

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def ask(self, method: str, path: str, body: Any = None, **form: str) -> Any:
        """One request.

        Args:
            method: of HTTP.
            path: of the page.
            body: sent as JSON.
            form: sent as a form instead.
        """
        data = json.dumps(body).encode() if body is not None else None
        kind = "application/json"
        if form:
            data, kind = urllib.parse.urlencode(form).encode(), "application/x-www-form-urlencoded"
        headers = {"Content-Type": kind}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        address = f"http://127.0.0.1:{self._port}{path}"
        asked = urllib.request.Request(address, data, headers, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=60) as answer:  # noqa: S310
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read()!r}") from None
        try:
            return json.loads(text) if text else None
        except ValueError:
            return text.decode()

    def welcome(self) -> None:
        """What a new owner does first: an account."""
        client = f"http://127.0.0.1:{self._port}/"
        made = self.ask(
            "POST", "/api/onboarding/users",
            {"client_id": client, "name": "Ann", "username": "ann", "password": "secret",
             "language": "en"},
        )  # fmt: skip
        tokens = self.ask(
            "POST", "/auth/token",
            grant_type="authorization_code", code=made["auth_code"], client_id=client,
        )  # fmt: skip
        self._token = tokens["access_token"]
        wait_until(lambda: self.ask("GET", "/api/config")["state"] == "RUNNING", "it", START_S)

    def join_broker(self, port: int, user: str, password: str) -> None:
        """Settings, Devices, Add integration, MQTT: the dialog, as its pages send it."""
        flow = self.ask("POST", "/api/config/config_entries/flow", {"handler": "mqtt"})
        flow_path = f"/api/config/config_entries/flow/{flow['flow_id']}"
        if flow["type"] == "menu":
            flow = self.ask("POST", flow_path, {"next_step_id": "broker"})
        answers = {"broker": "127.0.0.1", "port": port, "username": user, "password": password}
        done = self.ask("POST", flow_path, answers)
        assert done["type"] == "create_entry", done

    def states(self) -> dict[str, dict[str, Any]]:
        """Every entity, by its id."""
        return {state["entity_id"]: state for state in self.ask("GET", "/api/states")}

    def state(self, entity: str) -> str | None:
        """An entity's state; None while there is no such entity."""
        return self.states().get(entity, {}).get("state")

    def call(self, domain: str, service: str, data: Mapping[str, Any]) -> None:
        """Call a service, as a button on a dashboard does."""
        self.ask("POST", f"/api/services/{domain}/{service}", dict(data))

    def automate(self, blueprint: str, **inputs: Any) -> None:
        """Make an automation of a blueprint, as its dialog does."""
        name = blueprint.removesuffix(".yaml")
        use = {"path": f"topple/{blueprint}", "input": inputs}
        self.ask(
            "POST", f"/api/config/automation/config/{name}",
            {"id": name, "alias": name, "use_blueprint": use},
        )  # fmt: skip
        wait_until(lambda: self.state(f"automation.{name}") == "on", name, 60)

    def register_phone(self, name: str, push: str) -> str:
        """What the companion app does when it is first opened.

        Returns:
            Where it sends what is done on the phone.
        """
        made = self.ask(
            "POST", "/api/mobile_app/registrations",
            {"device_id": "phone", "app_id": "test", "app_name": "Test", "app_version": "1",
             "device_name": name, "manufacturer": "Ours", "model": "One", "os_name": "None",
             "os_version": "1", "supports_encryption": False,
             "app_data": {"push_token": "token", "push_url": push}},
        )  # fmt: skip
        return f"/api/webhook/{made['webhook_id']}"

    def press(self, webhook: str, action: str) -> None:
        """Press a notification's button on the phone."""
        event = {"event_type": "mobile_app_notification_action", "event_data": {"action": action}}
        self.ask("POST", webhook, {"type": "fire_event", "data": event})

    def device_of(self, name: str) -> str:
        """The id of the device of this name."""
        template = (
            "{% for device in states | map(attribute='entity_id') | map('device_id') | select "
            "| unique %}{{ device }}={{ device_attr(device, 'name') }};{% endfor %}"
        )
        text = self.render(template)
        pairs = (pair.partition("=") for pair in text.split(";") if pair)
        return next(device for device, _, called in pairs if called == name)

    def render(self, template: str) -> str:
        """What a template of its own gives."""
        return str(self.ask("POST", "/api/template", {"template": template}))
