/**
 * Sequences of packets as data:
 *
 *     sequence('a second CONNECT ends the connection', { in3: '3.1.0-2', in5: '3.1.0-2' }, [
 *       a.connects(),
 *       a.sends(connect()),
 *       a.isEnded(PROTOCOL_ERROR),
 *     ])
 *
 * Each sequence has a device of its own, and runs in MQTT 3.1.1, in MQTT 5, or in both. `a`, `b` and `c` are connections
 * of this device. Topics and filters are below `devices/{deviceId}/`; `elsewhere(topic)` stands for any other.
 */
import type { ServerPacket } from '../wire/decode.ts'
import type { Connect, DevicePacket, Will } from '../wire/encode.ts'
import type { PropertyName } from '../wire/properties.ts'

export interface Sequence {
  name: string
  /** Normative statements of MQTT 3.1.1 and of MQTT 5 that the sequence shows. It runs where there are any, even none. */
  in3?: string
  in5?: string
  steps: Step[]
}

/** The statements, parted by spaces: `3.1.0-2 4.8.0-1`. An empty text makes it run without showing one. */
export type Shows = Pick<Sequence, 'in3' | 'in5'>

export type Packet = DevicePacket

type Expected = { type: ServerPacket['type'] } & Record<string, unknown>

export type Action =
  /** Opens a connection, without CONNECT. */
  | { kind: 'open' }
  | {
      kind: 'connect'
      options: ConnectOptions
      sessionPresent: boolean
      properties?: Partial<Record<PropertyName, unknown>>
    }
  | { kind: 'send'; packets: Packet[] }
  | { kind: 'write'; bytes: number[] }
  | { kind: 'get'; packets: Expected[]; inAnyOrder?: boolean }
  /** PINGREQ is answered, and nothing else comes. */
  | { kind: 'get nothing' }
  /** CONNACK with this return code of 3.1.1, none where it is undefined; or one of these reason codes of 5. */
  | { kind: 'refused'; returnCode: number | undefined; reasonCodes: number[]; mayBeSilent?: boolean }
  /** The connection ends: in 5 after DISCONNECT with one of these reason codes. */
  | { kind: 'ended'; reasonCodes: number[] }
  | { kind: 'closed' }
  | { kind: 'drop' }
  | { kind: 'leave'; code?: number }
  | { kind: 'wait'; ms: number }
  | { kind: 'pause' }
  | { kind: 'resume' }

export interface Step {
  connection: string
  action: Action
}

export type ConnectOptions = Partial<Omit<Connect, 'type'>> & { will?: Will }

export const sequence = (name: string, shows: Shows, steps: Step[]): Sequence => ({ name, ...shows, steps })

const connection = (name: string) => {
  const step = (action: Action): Step => ({ connection: name, action })
  return {
    opens: () => step({ kind: 'open' }),
    /** CONNECT, and a CONNACK that accepts it. */
    connects: (
      options: ConnectOptions = {},
      {
        sessionPresent = false,
        properties,
      }: { sessionPresent?: boolean; properties?: Partial<Record<PropertyName, unknown>> } = {},
    ) => step({ kind: 'connect', options, sessionPresent, properties }),
    sends: (...packets: Packet[]) => step({ kind: 'send', packets }),
    writes: (...bytes: number[]) => step({ kind: 'write', bytes }),
    gets: (...packets: Expected[]) => step({ kind: 'get', packets }),
    getsInAnyOrder: (...packets: Expected[]) => step({ kind: 'get', packets, inAnyOrder: true }),
    getsNothing: () => step({ kind: 'get nothing' }),
    isRefused: (returnCode: number | undefined, ...reasonCodes: number[]) =>
      step({ kind: 'refused', returnCode, reasonCodes }),
    /** As `isRefused`, or without CONNACK: the standard leaves it open. */
    isTurnedAway: (returnCode: number, ...reasonCodes: number[]) =>
      step({ kind: 'refused', returnCode, reasonCodes, mayBeSilent: true }),
    isEnded: (...reasonCodes: number[]) => step({ kind: 'ended', reasonCodes }),
    isClosed: () => step({ kind: 'closed' }),
    /** Breaks its connection without DISCONNECT. */
    drops: () => step({ kind: 'drop' }),
    /** DISCONNECT, with a reason code in MQTT 5. */
    leaves: (code?: number) => step({ kind: 'leave', code }),
    waits: (ms: number) => step({ kind: 'wait', ms }),
    stopsReading: () => step({ kind: 'pause' }),
    readsAgain: () => step({ kind: 'resume' }),
  }
}

export const a = connection('a')
export const b = connection('b')
export const c = connection('c')

/** A topic or filter outside of the device's own. */
export const elsewhere = (topic: string): string => OUTSIDE + topic
export const OUTSIDE = '\u{10FFFF}'
