/** A case: what a few connections of one device send, and how they end. Its seed alone decides it. */
import { mutate } from './mutate.ts'
import { createRandom, type Random } from './random.ts'
import { clientPacket, connectPacket, type Speaker } from './valid-packets.ts'
import { handshake, toFrames } from './web-socket.ts'

export interface FuzzCase {
  seed: number
  connections: Script[]
}

export type Transport = 'tcp' | 'tls' | 'web_socket'

/** The actions of one connection. */
export interface Script {
  transport: Transport
  /** Sent before everything else, and answered; absent for TCP and TLS. */
  handshake: Buffer | undefined
  /** Sent first, in these pieces. */
  opening: Buffer[]
  /** Whether the rest waits for an answer to the opening. */
  waitsForAnswer: boolean
  chunks: Buffer[]
  /** `answers`: acknowledges what arrives. `silent`: reads only. `stalled`: reads nothing. */
  reads: 'answers' | 'silent' | 'stalled'
  /** `half`: closes its own side and reads on. `left`: waits a moment for the server to close. */
  end: 'reset' | 'close' | 'half' | 'left'
  version: 4 | 5
}

const MAX_PACKETS = 30
const CROWD = 300

/** @param accounts of the devices that the cases use */
export function makeCase(seed: number, accounts: Pick<Speaker, 'deviceId' | 'password'>[]): FuzzCase {
  const random = createRandom(seed)
  const account = random.pick(accounts)
  const speaker = (): Speaker => ({ ...account, version: random.pick([4, 5] as const) })
  if (random.chance(0.01))
    return { seed, connections: Array.from({ length: CROWD }, () => makeHalfPacket(random, speaker())) }
  return {
    seed,
    connections: Array.from({ length: 1 + random.below(3) }, () => makeScript(random, speaker())),
  }
}

/** A TLS handshake costs the server as much as many packets, and after it the packets are the same. */
const transports = [
  ...Array<Transport>(11).fill('tcp'),
  ...Array<Transport>(8).fill('web_socket'),
  'tls' as const,
]

function makeScript(random: Random, speaker: Speaker): Script {
  const transport = random.pick(transports)
  const send = (packets: Buffer[]) =>
    cut(random, transport === 'web_socket' ? toFrames(random, Buffer.concat(packets)) : packets)
  const connect = [connectPacket(random, speaker)]
  const packets = Array.from({ length: random.below(MAX_PACKETS) }, () => clientPacket(random, speaker))
  const isConnectMutated = random.chance(0.25)
  return {
    transport,
    handshake: transport === 'web_socket' ? handshake(random) : undefined,
    opening: send(isConnectMutated ? mutate(random, connect) : connect),
    waitsForAnswer: random.chance(0.7),
    chunks: send(
      isConnectMutated || random.chance(0.1) || packets.length === 0 ? packets : mutate(random, packets),
    ),
    reads: random.pick(['answers', 'answers', 'silent', 'stalled'] as const),
    end: random.pick(['reset', 'close', 'half', 'left'] as const),
    version: speaker.version,
  }
}

/** One of a crowd: it sends the beginning of a packet, and closes. */
function makeHalfPacket(random: Random, speaker: Speaker): Script {
  const connect = connectPacket(random, speaker)
  return {
    transport: 'tcp',
    handshake: undefined,
    opening: [connect.subarray(0, random.below(connect.length + 1))],
    waitsForAnswer: false,
    chunks: [],
    reads: 'silent',
    end: random.pick(['reset', 'close'] as const),
    version: speaker.version,
  }
}

/** Divides the bytes at random places, often within a packet. */
function cut(random: Random, packets: Buffer[]): Buffer[] {
  if (random.chance(0.3)) return packets
  const bytes = Buffer.concat(packets)
  if (random.chance(0.4)) return [bytes]
  const chunks: Buffer[] = []
  const largest = random.pick([1, 10, 300, 20_000])
  // Single bytes are enough for the first ones; a long message would take a minute.
  for (let at = 0; at < bytes.length;) {
    const size = chunks.length < 100 ? 1 + random.below(largest) : bytes.length - at
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}
