#!/usr/bin/env python3
"""A complete device for Gangway.

It fetches its settings with its bootstrap key, connects with TLS where the settings say so, publishes telemetry, applies
desired properties, answers methods, and keeps every message in a file until the broker has acknowledged it.

Needs Python 3.9 or later and paho-mqtt 1.6 or 2 (Debian: apt install python3-paho-mqtt). To run it:

    ONBOARDING_URL=https://gangway.example.com DEVICE_ID=pump-7 BOOTSTRAP_KEY=... python3 device.py

CA_FILE names the certificate authority of a server that has the built-in one (GET /v1/ca.crt), STATE_FILE where the device
keeps what has to survive a power cut (default device.db). The response template of the enrollment group:

    {"host": "{{target.host}}", "port": "{{target.port}}",
     "primary": "{{device.primary_key}}", "secondary": "{{device.secondary_key}}"}

Port 8883 means TLS; "tls": true in the template means TLS on any port.
"""

import base64
import json
import logging
import math
import os
import random
import signal
import sqlite3
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections import OrderedDict
from datetime import datetime, timezone

import paho.mqtt.client as mqtt

log = logging.getLogger("device")

# The platform's own rule: start at 1 s, double after each failure, 60 s at most.
BACK_OFF_START_SECONDS = 1
BACK_OFF_CAP_SECONDS = 60
# A connection that lasted so long ends the series of failures.
STABLE_SECONDS = 30
# The address of the broker may have changed when it cannot be reached this often in a row.
FAILURES_BEFORE_NEW_SETTINGS = 10
# Between CONNECT and SUBACK.
SIGN_IN_SECONDS = 30
KEEP_ALIVE_SECONDS = 60
# Messages that are on their way at the same time.
WINDOW = 20
# Messages that are kept; the oldest are deleted first. 100,000 small ones take about 20 MB.
MAX_KEPT_MESSAGES = 100_000
# Answers that are remembered, because an invocation can arrive twice.
MAX_KNOWN_ANSWERS = 100
DEFAULT_INTERVAL_SECONDS = 10


class Store:
    """What survives a power cut: settings, properties and unacknowledged messages. Each thread opens its own."""

    def __init__(self, path):
        # Each statement is a transaction of its own, and is on the disk when execute() returns.
        self.db = sqlite3.connect(path, isolation_level=None, timeout=30)
        self.db.execute("CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT, payload TEXT)"
        )

    def get(self, name, default=None):
        row = self.db.execute("SELECT value FROM kept WHERE name = ?", (name,)).fetchone()
        return json.loads(row[0]) if row else default

    def put(self, name, value):
        self.db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, json.dumps(value)))

    def add_message(self, topic, message):
        cursor = self.db.execute(
            "INSERT INTO outbox (topic, payload) VALUES (?, ?)", (topic, json.dumps(message))
        )
        oldest = cursor.lastrowid - MAX_KEPT_MESSAGES
        dropped = self.db.execute("DELETE FROM outbox WHERE id <= ?", (oldest,)).rowcount
        if dropped:
            log.warning("the store is full: %d of the oldest messages were deleted", dropped)

    def list_messages(self, after_id, limit):
        return self.db.execute(
            "SELECT id, topic, payload FROM outbox WHERE id > ? ORDER BY id LIMIT ?", (after_id, limit)
        ).fetchall()

    def delete_message(self, message_id):
        self.db.execute("DELETE FROM outbox WHERE id = ?", (message_id,))


class Pump:
    """The device's own work. Replace this class with yours."""

    def __init__(self, store):
        self.interval_seconds = store.get("intervalSeconds", DEFAULT_INTERVAL_SECONDS)
        self.count = store.get("count", 0)

    def measure(self, store):
        self.count += 1
        store.put("count", self.count)
        return {"temperature": round(random.gauss(60, 2), 1), "running": True, "count": self.count}

    def apply(self, desired, store):
        """Returns the properties to report."""
        if "intervalSeconds" not in desired:
            return {}
        seconds = desired["intervalSeconds"]
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0.1 <= seconds <= 3600:
            return {"intervalSeconds": self.interval_seconds, "problem": "intervalSeconds must be 0.1 to 3600"}
        self.interval_seconds = seconds
        store.put("intervalSeconds", seconds)
        # null removes what an earlier report said.
        return {"intervalSeconds": seconds, "problem": None}

    def call(self, method, payload):
        """Returns the status and the payload of the answer."""
        if method == "identify":
            return 200, {"blinking": True}
        return 404, {"error": "method_not_found", "message": f"the device has no method {method}"}


class Sampler(threading.Thread):
    """Measures whether the device is connected or not. Every message has a time of its own."""

    def __init__(self, pump, store_path, topic, stopping):
        super().__init__(daemon=True)
        self.pump, self.store_path, self.topic, self.stopping = pump, store_path, topic, stopping

    def run(self):
        store = Store(self.store_path)
        measured_at = -math.inf
        while not self.stopping.is_set():
            wait_seconds = measured_at + self.pump.interval_seconds - time.monotonic()
            if wait_seconds > 0:
                # In short steps, because the interval may change meanwhile.
                self.stopping.wait(min(wait_seconds, 0.5))
                continue
            measured_at = time.monotonic()
            # A repeat is recognized by its timestamp and content, so that every message needs its own timestamp.
            timestamp = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
            try:
                store.add_message(self.topic, {**self.pump.measure(store), "timestamp": timestamp})
            except Exception:  # A full disk or a broken sensor must not end the measuring.
                log.exception("a measurement failed")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """The bootstrap key goes to the configured address and nowhere else."""

    def redirect_request(self, *_):
        return None


class Session:
    """One MQTT connection, from CONNECT to its end."""

    def __init__(self, device, settings, password):
        self.device, self.store, self.root = device, device.store, device.root
        self.connack = None
        self.is_subscribed = False
        self.on_the_way = {}
        self.last_sent_id = 0
        self.desired_version = -1
        self.client = new_client(device.device_id)
        self.client.username_pw_set(device.device_id, password)
        if settings.get("tls", settings["port"] == 8883):
            self.client.tls_set_context(device.tls)
        self.client.on_connect = self.on_connect
        self.client.on_subscribe = self.on_subscribe
        self.client.on_publish = self.on_publish
        self.client.on_message = self.on_message
        self.client.connect(settings["host"], settings["port"], KEEP_ALIVE_SECONDS)

    def run(self, stopping):
        """Returns once the connection has ended: "refused", "failed" or "lost"."""
        until = time.monotonic() + SIGN_IN_SECONDS
        while not stopping.is_set():
            if self.client.loop(0.2) != mqtt.MQTT_ERR_SUCCESS:
                break
            if self.is_subscribed:
                self.send_kept()
            elif time.monotonic() > until:
                break
        self.client.disconnect()
        if self.is_subscribed:
            return "lost"
        # 4 and 5 in MQTT 3.1.1; paho 2 shows them with the numbers of MQTT 5.
        return "refused" if self.connack in (4, 5, 134, 135) else "failed"

    # paho 2 passes one argument more to these than paho 1.
    def on_connect(self, _client, _userdata, _flags, reason, *_):
        self.connack = number_of(reason)
        if self.connack == 0:
            self.client.subscribe([(f"{self.root}/twin/desired", 1), (f"{self.root}/methods/+/invoke", 1)])

    def on_subscribe(self, _client, _userdata, _mid, granted, *_):
        if any(number_of(code) >= 128 for code in granted):
            log.error("the broker refused a subscription")
        self.is_subscribed = True
        log.info("connected")

    def send_kept(self):
        """In order; what an earlier connection left unacknowledged comes first."""
        room = WINDOW - len(self.on_the_way)
        for message_id, topic, payload in self.store.list_messages(self.last_sent_id, room) if room else []:
            self.on_the_way[self.client.publish(topic, payload, qos=1).mid] = message_id
            self.last_sent_id = message_id

    def on_publish(self, _client, _userdata, mid, *_):
        # The platform has stored the message when it acknowledges it.
        message_id = self.on_the_way.pop(mid, None)
        if message_id is not None:
            self.store.delete_message(message_id)

    def on_message(self, _client, _userdata, message):
        try:
            content = json.loads(message.payload)
            if message.topic == f"{self.root}/twin/desired":
                self.apply_desired(content)
            else:
                self.answer(message.topic.split("/")[-2], content)
        except Exception:  # One bad message must not end the connection.
            log.exception("a message on %s could not be handled", message.topic)

    def apply_desired(self, desired):
        """The payload is the full desired state each time, so that a missed change does not matter."""
        version = desired.pop("$version", 0)
        if version <= self.desired_version:
            return
        self.desired_version = version
        report = self.device.pump.apply(desired, self.store)
        if report:
            self.store.add_message(f"{self.root}/twin/reported", report)

    def answer(self, method, invocation):
        correlation_id = invocation["correlationId"]
        answers = self.device.answers
        if correlation_id not in answers:
            try:
                status, payload = self.device.pump.call(method, invocation.get("payload"))
            except Exception as error:
                log.exception("the method %s failed", method)
                status, payload = 500, {"error": "method_failed", "message": str(error)}
            answers[correlation_id] = json.dumps({"status": status, "payload": payload})
            if len(answers) > MAX_KNOWN_ANSWERS:
                answers.popitem(last=False)
        # It does not wait behind the kept telemetry: the caller waits for it.
        self.client.publish(f"{self.root}/methods/{method}/response/{correlation_id}", answers[correlation_id], qos=1)


class Device:
    def __init__(self, environment):
        self.device_id = environment["DEVICE_ID"]
        self.bootstrap_key = environment["BOOTSTRAP_KEY"]
        self.onboarding_url = environment.get("ONBOARDING_URL", "http://localhost:8080").rstrip("/")
        self.root = f"devices/{self.device_id}"
        self.tls = ssl.create_default_context()
        if environment.get("CA_FILE"):
            self.tls.load_verify_locations(environment["CA_FILE"])
        store_path = environment.get("STATE_FILE", "device.db")
        self.store = Store(store_path)
        self.pump = Pump(self.store)
        self.answers = OrderedDict()
        self.stopping = threading.Event()
        self.sampler = Sampler(self.pump, store_path, f"{self.root}/telemetry", self.stopping)

    def run(self):
        self.sampler.start()
        settings = self.store.get("settings")
        needs_settings = settings is None
        failures = refusals = 0
        while not self.stopping.is_set():
            outcome, least_wait = "failed", 0
            if needs_settings:
                fresh, least_wait = self.request_settings()
                if fresh:
                    settings = fresh
                    self.store.put("settings", settings)
            if settings:
                outcome, seconds = self.connect(settings)
                if seconds > STABLE_SECONDS:
                    failures = 0
            failures += 1
            refusals = refusals + 1 if outcome == "refused" else 0
            needs_settings = settings is None or refusals > 0 or failures >= FAILURES_BEFORE_NEW_SETTINGS
            self.stopping.wait(max(least_wait, back_off_seconds(refusals or failures)))

    def connect(self, settings):
        """Tries the secondary key where the primary one is refused. Returns how and after what time it ended."""
        for password in (settings["primary"], settings["secondary"]):
            since = time.monotonic()
            try:
                outcome = Session(self, settings, password).run(self.stopping)
            except (OSError, ValueError) as error:
                log.warning("cannot connect to %s:%s: %s", settings["host"], settings["port"], error)
                outcome = "failed"
            seconds = time.monotonic() - since
            log.info("the connection ended: %s after %.1f s", outcome, seconds)
            if outcome != "refused":
                break
        return outcome, seconds

    def request_settings(self):
        """Asks once. Returns the settings or None, and the seconds to wait at least before the next try."""
        credentials = base64.b64encode(f"{self.device_id}:{self.bootstrap_key}".encode()).decode()
        request = urllib.request.Request(
            f"{self.onboarding_url}/get_settings",
            headers={"Accept": "application/json", "Authorization": f"Basic {credentials}"},
        )
        opener = urllib.request.build_opener(NoRedirect, urllib.request.HTTPSHandler(context=self.tls))
        try:
            with opener.open(request, timeout=30) as response:
                settings = json.load(response)
            if all(name in settings for name in ("host", "port", "primary", "secondary")):
                return settings, 0
            log.error("the settings lack host, port, primary or secondary: check the response template")
            return None, BACK_OFF_CAP_SECONDS
        except urllib.error.HTTPError as error:
            reason = error.read(1000).decode(errors="replace")
            log.warning("the onboarding service answered %d: %s", error.code, reason)
            if error.code in (409, 429) or error.code >= 500:
                # Devices that were turned away together must not come back together.
                return None, retry_after_seconds(error) * random.uniform(1, 1.1)
            # Unknown device, wrong key, disabled group: only a person can change that.
            return None, BACK_OFF_CAP_SECONDS
        except (OSError, ValueError) as error:
            log.warning("the onboarding service cannot be reached: %s", error)
            return None, 0


def new_client(client_id):
    if hasattr(mqtt, "CallbackAPIVersion"):
        return mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=client_id, clean_session=True)
    return mqtt.Client(client_id=client_id, clean_session=True)


def number_of(reason):
    """paho 1 passes numbers, paho 2 objects."""
    return getattr(reason, "value", reason)


def back_off_seconds(failures):
    """Between half of the ceiling and the ceiling, so that a fleet does not come back in the same second."""
    ceiling = min(BACK_OFF_CAP_SECONDS, BACK_OFF_START_SECONDS * 2 ** min(failures - 1, 10))
    return ceiling * random.uniform(0.5, 1)


def retry_after_seconds(error):
    value = error.headers.get("Retry-After", "")
    return min(int(value), 3600) if value.isdigit() else 0


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    # The state holds the device's keys: other users may not read it.
    os.umask(0o077)
    device = Device(os.environ)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: device.stopping.set())
    device.run()


if __name__ == "__main__":
    main()
