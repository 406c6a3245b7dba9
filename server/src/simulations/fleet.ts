/** The devices of one simulation at work: who sends when, what, and with which faults. */
import { createDevice, type Device } from './device.ts'
import { type Fault, isOver } from './faults/fault.ts'
import { type FirmwareRules, chooseOutcome } from './firmware/play-updates.ts'
import { createGenerator } from './generators/generator.ts'
import type { Column } from './generators/read-columns.ts'
import type { Signal } from './generators/signal.ts'
import type { SimulatedMethod } from './methods/method.ts'
import { makeMessage, type Speaker } from './message.ts'
import type { Progress } from './progress.ts'

/** A gentle morning for the broker: 200 devices a second. */
const BETWEEN_CONNECTIONS_MS = 5

export interface FleetPlan {
  url: string
  devices: { id: string; password: string }[]
  signals: { signal: Signal; column: Column | undefined; whole: boolean }[]
  methods: SimulatedMethod[]
  /** How they play firmware updates, where they do. */
  firmware: FirmwareRules | undefined
  intervalSeconds: number
  startedAt: Date
}

export interface Fleet {
  setFaults(faults: Fault[]): void
  stop(): Promise<void>
}

interface Member extends Speaker {
  id: string
  device: Device
  /** Its first message: never do all send at once. */
  firstMs: number
  /** A message that found no connection; it is made anew once there is one. */
  isLate: boolean
  timer?: NodeJS.Timeout
}

/** @param progress counted in; what stands in it stays */
export function startFleet(plan: FleetPlan, progress: Progress): Fleet {
  const intervalMs = plan.intervalSeconds * 1000
  let faults: (Fault & { ids: Set<string> })[] = []
  const faultsOf = ({ id }: Member) => faults.filter((fault) => fault.ids.has(id) && !isOver(fault))
  const isSilent = (member: Member) => faultsOf(member).some(({ kind }) => kind === 'silence')
  /** Counted from the start of the simulation, so that a process that takes over goes on where the other was. */
  const beatsOf = ({ firstMs }: Member) => (Date.now() - firstMs) / intervalMs

  function schedule(member: Member, beat: number) {
    const waitMs = member.firstMs + beat * intervalMs - Date.now()
    member.timer = setTimeout(() => {
      send(member)
      schedule(member, Math.max(beat + 1, Math.ceil(beatsOf(member))))
    }, waitMs)
  }

  function send(member: Member) {
    const own = faultsOf(member)
    member.isLate = !member.device.isConnected
    if (member.isLate || isSilent(member)) return
    member.device.catchUp()
    const message = makeMessage(member, own, {
      seconds: (Date.now() - plan.startedAt.getTime()) / 1000,
      index: Math.max(0, Math.round(beatsOf(member))),
    })
    if (message) member.device.send(JSON.stringify({ ...message, timestamp: new Date().toISOString() }))
  }

  const members = plan.devices.map((_, place) => createMember(plan, place, progress, { send, isSilent }))
  for (const member of members) {
    const beats = beatsOf(member)
    // The first one is due at once, or was a moment ago.
    schedule(member, beats < 1 ? 0 : Math.ceil(beats))
  }
  return {
    setFaults(next) {
      faults = next.map((fault) => ({ ...fault, ids: new Set(fault.deviceIds) }))
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

function createMember(
  { url, devices, signals, methods, firmware, intervalSeconds, startedAt }: FleetPlan,
  place: number,
  progress: Progress,
  { send, isSilent }: { send(member: Member): void; isSilent(member: Member): boolean },
): Member {
  const { id, password } = devices[place]!
  const delayMs = place * BETWEEN_CONNECTIONS_MS
  const onConnected = () => {
    if (member.isLate) send(member)
  }
  const member: Member = {
    id,
    device: createDevice({
      url,
      id,
      password,
      progress,
      delayMs,
      methods,
      firmware: firmware && { rules: firmware, outcome: chooseOutcome(place, devices.length, firmware) },
      isSilent: () => isSilent(member),
      onConnected,
    }),
    signals: signals.map(({ signal, column, whole }) => ({
      signal,
      whole,
      next: createGenerator(signal, column),
    })),
    firstMs: startedAt.getTime() + (place / devices.length) * intervalSeconds * 1000,
    isLate: false,
    spiking: 0,
  }
  return member
}
