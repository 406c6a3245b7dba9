import { parser } from 'mqtt-packet'
import { expect, test } from 'vitest'
import {
  createWebSocketState,
  readWebSocket,
} from '../../../server/src/mqtt/listeners/web-socket/read-web-socket.ts'
import { makeCase } from './make-case.ts'
import { createRandom } from './random.ts'
import { clientPacket, connectPacket } from './valid-packets.ts'
import { toFrames } from './web-socket.ts'

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

test('frames are valid before they are spoiled, and hold the bytes', () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = createRandom(seed)
    const bytes = random.bytes(1 + random.below(1000))
    const spoilsNothing = {
      ...random,
      chance: (probability: number) => probability !== 0.4 && random.chance(probability),
    }
    const received: Buffer[] = []
    const handlers = {
      onData: (content: Buffer) => void received.push(Buffer.from(content)),
      onPing: () => {},
      onClose: () => {},
    }
    const state = createWebSocketState()
    const frames = toFrames(spoilsNothing, bytes)
    for (const frame of frames) readWebSocket(state, handlers, frame)
    const isClosed = frames.some((frame) => (frame[0]! & 15) === 8)
    expect(isClosed || Buffer.concat(received).equals(bytes)).toBe(true)
  }
})
