import { parser } from 'mqtt-packet'
import { expect, test } from 'vitest'
import { makeCase } from './make-case.ts'
import { createRandom } from './random.ts'
import { clientPacket, connectPacket } from './valid-packets.ts'

const accounts = [{ deviceId: 'pump', password: 'key' }]

test('a seed decides the whole case, and neighbouring seeds differ', () => {
  expect(makeCase(17, accounts)).toEqual(makeCase(17, accounts))
  expect(makeCase(18, accounts).connections).not.toEqual(makeCase(17, accounts).connections)
})

test.each([4, 5] as const)('packets of MQTT version %i are valid before they are mutated', (version) => {
  const speaker = { ...accounts[0]!, version }
  for (let seed = 0; seed < 500; seed++) {
    const random = createRandom(seed)
    const packets = parser({ protocolVersion: version })
    packets.on('error', (error: Error) => {
      throw new Error(`seed ${seed}: ${error.message}`)
    })
    let count = 0
    packets.on('packet', () => count++)
    expect(packets.parse(connectPacket(random, speaker))).toBe(0)
    expect(packets.parse(clientPacket(random, speaker))).toBe(0)
    expect(count).toBe(2)
  }
})
