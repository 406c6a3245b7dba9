/** Makes valid packets invalid. */
import type { Random } from './random.ts'

type Mutation = (random: Random, packets: Buffer[]) => Buffer[]

const INTERESTING = [0, 1, 2, 0x7f, 0x80, 0xc0, 0xed, 0xf0, 0xfe, 0xff]
const MAX_REPEATS = 200

/** Applies one to three mutations. */
export function mutate(random: Random, packets: Buffer[]): Buffer[] {
  let mutated = packets
  for (let count = 1 + random.below(3); count > 0 && mutated.length > 0; count--)
    mutated = random.pick(mutations)(random, mutated)
  return mutated
}

const inOne =
  (change: (random: Random, packet: Buffer, packets: Buffer[]) => Buffer): Mutation =>
  (random, packets) => {
    const place = random.below(packets.length)
    return packets.with(place, change(random, packets[place]!, packets))
  }

const flipBits = inOne((random, packet) => {
  const changed = Buffer.from(packet)
  for (let count = 1 + random.below(4); count > 0 && changed.length > 0; count--)
    changed[random.below(changed.length)]! ^= 1 << random.below(8)
  return changed
})

/** Most rules are about the first bytes: flags, lengths, identifiers, properties. */
const setByte = inOne((random, packet) => {
  const changed = Buffer.from(packet)
  const range = random.chance(0.6) ? Math.min(changed.length, 24) : changed.length
  if (range > 0) changed[random.below(range)] = random.pick(INTERESTING)
  return changed
})

const setLength = inOne((random, packet) => {
  const lengths = [
    [0],
    [1],
    [0x7f],
    [0x80, 0],
    [0xff, 0x7f],
    [0xff, 0xff, 0x7f],
    [0xff, 0xff, 0xff, 0x7f],
    [0xff, 0xff, 0xff, 0xff],
  ]
  return Buffer.concat([packet.subarray(0, 1), Buffer.from(random.pick(lengths)), bodyOf(packet)])
})

const truncate = inOne((random, packet) => packet.subarray(0, random.below(packet.length + 1)))

/** The length of the packet is that of what is left, so that the rest of the body is missing. */
const shorten = inOne((random, packet) =>
  withBody(packet, bodyOf(packet).subarray(0, random.below(packet.length))),
)

const insert = inOne((random, packet) => {
  const body = bodyOf(packet)
  const at = random.below(body.length + 1)
  return withBody(
    packet,
    Buffer.concat([body.subarray(0, at), random.bytes(1 + random.below(8)), body.subarray(at)]),
  )
})

/** The first half of one packet and the second half of another. */
const splice = inOne((random, packet, packets) => {
  const [head, tail] = [bodyOf(packet), bodyOf(random.pick(packets))]
  return withBody(
    packet,
    Buffer.concat([
      head.subarray(0, random.below(head.length + 1)),
      tail.subarray(random.below(tail.length + 1)),
    ]),
  )
})

const changeType = inOne((random, packet) => {
  const changed = Buffer.from(packet)
  if (changed.length > 0) changed[0] = random.below(256)
  return changed
})

const drop: Mutation = (random, packets) => packets.toSpliced(random.below(packets.length), 1)

const swap: Mutation = (random, packets) => {
  const [one, other] = [random.below(packets.length), random.below(packets.length)]
  return packets.with(one, packets[other]!).with(other, packets[one]!)
}

const repeat: Mutation = (random, packets) => {
  const place = random.below(packets.length)
  const copies = Array.from({ length: 1 + random.below(MAX_REPEATS) }, () => packets[place]!)
  return packets.toSpliced(place, 0, ...copies)
}

const addNoise: Mutation = (random, packets) =>
  packets.toSpliced(random.below(packets.length + 1), 0, random.bytes(1 + random.below(64)))

const mutations: Mutation[] = [
  flipBits,
  flipBits,
  setByte,
  setByte,
  setLength,
  truncate,
  shorten,
  insert,
  splice,
  changeType,
  drop,
  swap,
  repeat,
  addNoise,
]

function bodyOf(packet: Buffer): Buffer {
  let at = 1
  while (at < 5 && packet[at]! > 127) at++
  return packet.subarray(at + 1)
}

function withBody(packet: Buffer, body: Buffer): Buffer {
  const length: number[] = []
  for (let rest = body.length; length.length === 0 || rest > 0; rest >>>= 7)
    length.push((rest & 127) | (rest > 127 ? 128 : 0))
  return Buffer.concat([packet.subarray(0, 1), Buffer.from(length), body])
}
