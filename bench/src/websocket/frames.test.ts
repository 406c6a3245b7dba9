import { expect, test } from 'vitest'
import { frameReader, pongFrame, textFrame } from './frames.ts'

const frame = (text: string, opcode = 1) => {
  const body = Buffer.from(text)
  const head = Buffer.alloc(body.length > 65_535 ? 10 : body.length > 125 ? 4 : 2)
  head[0] = 0x80 | opcode
  head[1] = head.length === 10 ? 127 : head.length === 4 ? 126 : body.length
  if (head.length === 4) head.writeUInt16BE(body.length, 2)
  if (head.length === 10) head.writeBigUInt64BE(BigInt(body.length), 2)
  return Buffer.concat([head, body])
}

test.each([1, 2, 7, 1000, 1_000_000])('frames are read in chunks of any size (%i bytes)', (size) => {
  const texts = ['', 'ü', 'x'.repeat(126), 'y'.repeat(70_000)]
  const bytes = Buffer.concat([frame('ping', 9), ...texts.map((text) => frame(text))])
  // Each chunk copies the incomplete frame, so that the largest one arrives in larger chunks once its header is read.
  const stepAt = (at: number) => (at < 500 ? size : Math.max(size, 1000))
  const read: string[] = []
  let pings = 0
  const reader = frameReader({ onText: (text) => read.push(text), onPing: () => (pings += 1) })
  for (let at = 0; at < bytes.length; at += stepAt(at)) reader(bytes.subarray(at, at + stepAt(at)))
  expect({ read, pings }).toEqual({ read: texts, pings: 1 })
})

test('frames of a client are masked', () => {
  expect([...textFrame('ab')]).toEqual([0x81, 0x82, 0, 0, 0, 0, 97, 98])
  expect([...pongFrame()]).toEqual([0x8a, 0x80, 0, 0, 0, 0])
})
