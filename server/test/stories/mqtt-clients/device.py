"""Publishes what it reads, or prints what it receives, with paho-mqtt. The argument is JSON: see paho.ts."""
import json
import signal
import sys

import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

given = json.loads(sys.argv[1])
is_five = given["version"] == 5
version = mqtt.MQTTv5 if is_five else mqtt.MQTTv311
if hasattr(mqtt, "CallbackAPIVersion"):  # paho 2
    make = lambda **options: mqtt.Client(mqtt.CallbackAPIVersion.VERSION1, **options)
else:
    make = mqtt.Client
client = make(client_id=given["clientId"], protocol=version, **({} if is_five else {"clean_session": not given["isKept"]}))
client.username_pw_set(given["user"], given["key"])
if given["caFile"]:
    client.tls_set(given["caFile"])


def connect():
    options = {}
    if is_five:
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = 60 if given["isKept"] else 0
        options = {"clean_start": not given["isKept"], "properties": properties}
    client.connect("127.0.0.1", given["port"], keepalive=60, **options)


def publish():
    client.on_connect = lambda *_: client.publish(given["topic"], sys.stdin.read(), qos=given["qos"])
    client.on_publish = lambda *_: client.disconnect()
    connect()
    client.loop_forever()


def listen():
    client.on_connect = lambda *_: client.subscribe(given["topic"], qos=given["qos"])
    client.on_subscribe = lambda *_: print("subscribed", flush=True)
    client.on_message = lambda _client, _data, message: print(
        f"message {message.qos} {message.payload.decode()}", flush=True
    )
    signal.signal(signal.SIGTERM, lambda *_: client.disconnect())
    connect()
    client.loop_forever()


publish() if given["action"] == "publish" else listen()
