/** paho-mqtt for Python, by `device.py`. */
import { fileURLToPath } from 'node:url'
import { findPythonWithPaho } from '../../harness/example-programs.ts'
import { listenWithProgram, runProgram } from './program.ts'
import type { PublicClient, Target } from './public-client.ts'

const python = findPythonWithPaho()
const script = fileURLToPath(new URL('device.py', import.meta.url))

export const paho = (version: 4 | 5): PublicClient => {
  const command = ({ device, port, caFile = '' }: Target, given: object) => [
    python!,
    script,
    JSON.stringify({
      version,
      port,
      caFile,
      user: device.id,
      key: device.key,
      clientId: '',
      isKept: false,
      ...given,
    }),
  ]
  return {
    name: `paho-mqtt with MQTT ${version === 5 ? '5' : '3.1.1'}`,
    ...(!python && { missing: 'python3 with paho-mqtt not installed' }),
    publish: (target, { topic, payload, qos }) =>
      runProgram(command(target, { action: 'publish', topic, qos }), payload),
    listen: (target, subscription) =>
      listenWithProgram(
        command(target, { action: 'listen', ...subscription }),
        (line) => line === 'subscribed',
      ),
  }
}
