import { type Packet, parser } from 'mqtt-packet'
import { describe, expect, test } from 'vitest'
import { connectPacket, createPacketSplitter, PUBACK, PUBLISH, publishPacket } from './packets.ts'

function parsed(bytes: Buffer): Packet {
  const packets: Packet[] = []
  parser()
    .on('packet', (packet: Packet) => packets.push(packet))
    .parse(bytes)
  return packets[0]!
}

test('a device signs in with its own id', () => {
  const packet = parsed(connectPacket('pump-1', 'secret'))
  expect(packet).toMatchObject({ cmd: 'connect', clientId: 'pump-1', username: 'pump-1' })
})

// 127 and 128 bytes after the length: it then takes a second byte.
test.each([0, 100, 127 - 13, 128 - 13, 3000])('a payload of %i bytes arrives unchanged', (length) => {
  const payload = 'x'.repeat(length)
  expect(parsed(publishPacket('devices/p', 4711, payload))).toMatchObject({
    cmd: 'publish',
    topic: 'devices/p',
    qos: 1,
    messageId: 4711,
    payload: Buffer.from(payload),
  })
})

describe('packets of the server', () => {
  const pubacks = Buffer.from([0x40, 2, 0, 7, 0x40, 2, 1, 0])
  const bytes = Buffer.concat([pubacks, publishPacket('devices/p/twin/desired', 1, 'y'.repeat(300)), pubacks])

  test.each([1, 3, 50, bytes.length])('are read in chunks of %i bytes', (size) => {
    const seen: number[][] = []
    const split = createPacketSplitter((type, at, bodyAt) =>
      seen.push(type === PUBACK ? [type, at.readUInt16BE(bodyAt)] : [type]),
    )
    for (let at = 0; at < bytes.length; at += size) split(bytes.subarray(at, at + size))
    expect(seen).toEqual([[PUBACK, 7], [PUBACK, 256], [PUBLISH], [PUBACK, 7], [PUBACK, 256]])
  })
})
