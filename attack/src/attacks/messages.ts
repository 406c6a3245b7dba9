import type { Attack } from '../attack.ts'
import { countedText, repeated } from '../many.ts'

const deviceId = 'messages'

const list = (length: number, make: (place: number) => unknown) =>
  Array.from({ length }, (_, place) => make(place)).join(',')

/** Payloads of at most 1 MB each. */
const payloads = (index: number): string[] => [
  `{"deep":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
  `{"wide":[${'[],'.repeat(330_000)}0]}`,
  JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, place) => [`s${index}-${place}`, 1]))),
  JSON.stringify(Object.fromEntries(Array.from({ length: 9000 }, (_, place) => [`signal-${place}`, index]))),
  `{"text":"${'\\u00e9'.repeat(170_000)}","index":${index}}`,
  `{"number":1${'0'.repeat(1_000_000)}}`,
  `{${'"a":1,'.repeat(150_000)}"index":${index}}`,
  // The most keys, lists and objects that a message may have.
  `{"keys":{${list(63_900, (place) => `"${place.toString(36)}":0`)}}}`,
  `{"objects":[${list(31_900, (place) => `{"${place.toString(36)}":0}`)}]}`,
  `{"numbers":[${list(55_000, (place) => place * 1.000000001)}]}`,
]
const KINDS = 10

export const messages: Attack = {
  name: 'messages',
  about: 'telemetry that is deep, wide, long or of very many signals',
  prepare: ({ attacker }) => attacker.makeDevice(deviceId),
  async run({ attacker }) {
    const device = await attacker.connectDevice(deviceId)
    const outcomes = await repeated(3 * KINDS, async (index) => {
      const payload = payloads(index)[index % KINDS]!
      await device.publishAsync(`devices/${deviceId}/telemetry`, payload, { qos: 1 })
      return 'PUBACK'
    })
    return countedText(outcomes)
  },
}
