import { generate } from 'mqtt-packet'
import { expect, test } from 'vitest'
import { createPacketParser } from './parse-packet.ts'

const subscribe = generate(
  { cmd: 'subscribe', messageId: 7, subscriptions: [{ topic: 'devices/a/twin/desired', qos: 1 }] },
  { protocolVersion: 5 },
)

test.each([
  ['PUBACK with an unknown reason code', '40040002f000'],
  ['PUBCOMP with a reason code of another packet', '70040011a700'],
  ['DISCONNECT with an unknown reason code', 'e0028600'],
])('after a malformed packet (%s) the packet of the next device is read from its beginning', (_, hex) => {
  const parser = createPacketParser()
  expect(() => parser.parse(Buffer.from(hex, 'hex'), 5)).toThrow('malformed')
  expect(parser.parse(subscribe, 5)).toMatchObject({ cmd: 'subscribe', messageId: 7 })
})
