/** The devices of one simulation at work: who sends when, what, and with which faults. */
import { createDevice, type Device } from './device.ts'
import { type Fault, isOver } from './faults/fault.ts'
import { createGenerator, type Generator, type Moment } from './generators/generator.ts'
import type { Column } from './generators/read-columns.ts'
import type { Signal, SimulatedValue } from './generators/signal.ts'
import type { Progress } from './progress.ts'

/** A gentle morning for the broker: 200 devices a second. */
const BETWEEN_CONNECTIONS_MS = 5
/** Of spikes: the first message is one, and then each fifth. */
const SPIKE_EVERY = 5

export interface FleetPlan {
  url: string
  devices: { id: string; password: string }[]
  /** With `whole`, numbers are rounded. */
  signals: { signal: Signal; column: Column | undefined; whole: boolean }[]
  intervalSeconds: number
  startedAt: Date
}

export interface Fleet {
  setFaults(faults: Fault[]): void
  stop(): Promise<void>
}

interface Member {
  id: string
  device: Device
  generators: { signal: Signal; whole: boolean; next: Generator }[]
  /** Its place within the interval: never do all send at once. */
  offsetMs: number
  /** A message that found no connection; it is made anew once there is one. */
  isLate: boolean
  /** Messages since spikes began. */
  spiking: number
  timer?: NodeJS.Timeout
}

/** @param progress counted in; what stands in it stays */
export function startFleet(plan: FleetPlan, progress: Progress): Fleet {
  const intervalMs = plan.intervalSeconds * 1000
  let faults: Fault[] = []
  const faultsOf = ({ id }: Member) =>
    faults.filter((fault) => !isOver(fault) && fault.deviceIds.includes(id))

  const members = plan.devices.map(({ id, password }, place): Member => {
    const member: Member = {
      id,
      device: createDevice({
        url: plan.url,
        id,
        password,
        progress,
        delayMs: place * BETWEEN_CONNECTIONS_MS,
        onConnected: () => {
          if (member.isLate) send(member)
        },
      }),
      generators: plan.signals.map(({ signal, column, whole }) => ({
        signal,
        whole,
        next: createGenerator(signal, column),
      })),
      offsetMs: (place / plan.devices.length) * intervalMs,
      isLate: false,
      spiking: 0,
    }
    return member
  })

  /** Counted from the start of the simulation, so that a process that takes over goes on where the other was. */
  const beatsOf = ({ offsetMs }: Member) => (Date.now() - plan.startedAt.getTime() - offsetMs) / intervalMs

  function schedule(member: Member, beat: number) {
    const waitMs = plan.startedAt.getTime() + member.offsetMs + beat * intervalMs - Date.now()
    member.timer = setTimeout(() => {
      send(member)
      schedule(member, Math.max(beat + 1, Math.ceil(beatsOf(member))))
    }, waitMs)
  }

  function send(member: Member) {
    const own = faultsOf(member)
    member.isLate = !member.device.isConnected
    if (member.isLate || own.some(({ kind }) => kind === 'silence')) return
    const payload = messageOf(member, own, {
      seconds: (Date.now() - plan.startedAt.getTime()) / 1000,
      index: Math.max(0, Math.round(beatsOf(member))),
    })
    if (payload) member.device.send(JSON.stringify({ ...payload, timestamp: new Date().toISOString() }))
  }

  for (const member of members) {
    const beats = beatsOf(member)
    // The first one is due at once, or was a moment ago.
    schedule(member, beats < 1 ? 0 : Math.ceil(beats))
  }
  return {
    setFaults(next) {
      faults = next
      for (const member of members)
        for (const { kind, until } of faultsOf(member))
          if (kind === 'offline') member.device.loseConnection(Date.parse(until))
    },
    async stop() {
      for (const { timer } of members) clearTimeout(timer)
      await Promise.all(members.map(({ device }) => device.close()))
    },
  }
}

type Message = Record<string, SimulatedValue | Record<string, SimulatedValue>>

/** @returns nothing when there is nothing to say */
function messageOf(member: Member, faults: Fault[], moment: Moment): Message | undefined {
  const spikes = faults.find(({ kind }) => kind === 'spikes')
  const factor = spikes && member.spiking++ % SPIKE_EVERY === 0 ? (spikes.factor ?? 1) : 1
  if (!spikes) member.spiking = 0
  const message: Message = {}
  for (const { signal, whole, next } of member.generators) {
    const made = next(moment)
    if (made === undefined) continue
    const value = typeof made === 'number' ? numberOf(made * factor, whole) : made
    if (signal.component === undefined) message[signal.name] = value
    else message[signal.component] = { ...(message[signal.component] as object), [signal.name]: value }
  }
  return Object.keys(message).length > 0 ? message : undefined
}

/** More digits than that no sensor has. */
const numberOf = (value: number, whole: boolean) => (whole ? Math.round(value) : Number(value.toPrecision(9)))
