/** Debian's mosquitto_pub and mosquitto_sub. */
import { missingPrograms } from '../../harness/example-programs.ts'
import { listenWithProgram, runProgram } from './program.ts'
import type { PublicClient, Target } from './public-client.ts'

const missing = missingPrograms(['mosquitto_pub', 'mosquitto_sub'], '--help')

export const mosquitto = (version: 'mqttv311' | 'mqttv5'): PublicClient => {
  const options = ({ device, port, caFile }: Target) => [
    ...`-V ${version} -h 127.0.0.1 -p ${port} -u ${device.id} -P ${device.key}`.split(' '),
    ...(caFile ? ['--cafile', caFile] : []),
  ]
  return {
    name: `mosquitto_pub and mosquitto_sub with ${version}`,
    ...(missing.length > 0 && { missing: `${missing.join(' and ')} not installed` }),
    publish: (target, { topic, payload, qos }) =>
      runProgram(['mosquitto_pub', ...options(target), '-t', topic, '-q', `${qos}`, '-s'], payload),
    listen: (target, { topic, qos, clientId, isKept = false }) =>
      listenWithProgram(
        [
          // Each line as it is printed, although it goes to a pipe.
          'stdbuf',
          '-oL',
          'mosquitto_sub',
          ...options(target),
          ...`-t ${topic} -q ${qos} -i ${clientId} -d -F`.split(' '),
          'message %q %p',
          ...(isKept ? ['-c'] : []),
        ],
        (line) => line.startsWith('Subscribed'),
      ),
  }
}
