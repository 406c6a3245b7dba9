import { type Filled, getCa, type Snippet } from './snippet.ts'

export const writePython = (filled: Filled): Snippet[] => [
  { step: 'install', code: 'pip install paho-mqtt' },
  {
    step: 'file',
    name: 'device.py',
    code: writeProgram(filled),
  },
  ...getCa(filled),
  { step: 'run', code: 'python3 device.py' },
]

const writeProgram = (
  filled: Filled,
) => `${filled.onboardingKey === null ? '' : 'import base64, urllib.request\n'}import json
import paho.mqtt.client as mqtt

DEVICE = ${JSON.stringify(filled.deviceId)}
${writeSettings(filled)}

if hasattr(mqtt, "CallbackAPIVersion"):  # paho 2
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=DEVICE)
else:
    client = mqtt.Client(client_id=DEVICE)
client.username_pw_set(DEVICE, settings["primary"])
${filled.isTls ? `client.tls_set(${filled.ca === '' ? '' : '"ca.crt"'})\n` : ''}client.connect(settings["host"], settings["port"], keepalive=60)
client.loop_start()
message = json.dumps({"temperature": 21.5})
client.publish(f"devices/{DEVICE}/telemetry", message, qos=1).wait_for_publish(30)
client.disconnect()`

const writeSettings = ({ origin, host, port, brokerKey, onboardingKey }: Filled) =>
  onboardingKey === null
    ? `settings = ${JSON.stringify({ host, port, primary: brokerKey })}`
    : `KEY = ${JSON.stringify(onboardingKey)}

request = urllib.request.Request(${JSON.stringify(`${origin}/get_settings`)})
request.add_header("Authorization", "Basic " + base64.b64encode(f"{DEVICE}:{KEY}".encode()).decode())
settings = json.load(urllib.request.urlopen(request, timeout=30))`
