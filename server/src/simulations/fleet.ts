/** Runs the devices of one simulation: schedules their messages and applies faults. */
import { createDevice, type Device } from './device.ts'
import { type Fault, isOver } from './faults/fault.ts'
import { type FirmwareRules, chooseOutcome } from './firmware/play-updates.ts'
import { createGenerator } from './generators/generator.ts'
import type { Column } from './generators/read-columns.ts'
import type { Signal } from './generators/signal.ts'
import type { SimulatedMethod } from './methods/method.ts'
import { makeMessage, type MessageSource } from './message.ts'
import type { Progress } from './progress.ts'

/** Connects 200 devices a second, to spare the broker. */
const BETWEEN_CONNECTIONS_MS = 5

export interface FleetPlan {
  /** Of the gateway. */
  url: string
  devices: { id: string; password: string }[]
  signals: { signal: Signal; column: Column | undefined; whole: boolean }[]
  methods: SimulatedMethod[]
  /** How the devices play firmware updates; undefined if they do not. */
  firmware: FirmwareRules | undefined
  intervalSeconds: number
  startedAt: Date
}

export interface Fleet {
  setFaults(faults: Fault[]): void
  stop(): Promise<void>
}

interface Member extends MessageSource {
  id: string
  device: Device
  /** Time of its first message; spread over the interval, so that the devices do not send all at once. */
  firstMs: number
  /** A message was due without a connection; another one is generated at the next connection. */
  isLate: boolean
  timer?: NodeJS.Timeout
}

/** @param progress its counters continue from their present values */
export function startFleet(plan: FleetPlan, progress: Progress): Fleet {
  const intervalMs = plan.intervalSeconds * 1000
  let faults: (Fault & { ids: Set<string> })[] = []
  const activeFaults = ({ id }: Member) => faults.filter((fault) => fault.ids.has(id) && !isOver(fault))
  const isSilent = (member: Member) => activeFaults(member).some(({ kind }) => kind === 'silence')
  /** Since the start of the simulation, so that a node that takes over continues where the other stopped. */
  const elapsedIntervals = ({ firstMs }: Member) => (Date.now() - firstMs) / intervalMs

  function schedule(member: Member, interval: number) {
    const waitMs = member.firstMs + interval * intervalMs - Date.now()
    member.timer = setTimeout(() => {
      send(member)
      schedule(member, Math.max(interval + 1, Math.ceil(elapsedIntervals(member))))
    }, waitMs)
  }

  function send(member: Member) {
    const own = activeFaults(member)
    member.isLate = !member.device.isConnected
    if (member.isLate || isSilent(member)) return
    member.device.reportPending()
    const message = makeMessage(member, own, {
      seconds: (Date.now() - plan.startedAt.getTime()) / 1000,
      index: Math.max(0, Math.round(elapsedIntervals(member))),
    })
    if (message) member.device.send(JSON.stringify({ ...message, timestamp: new Date().toISOString() }))
  }

  const members = plan.devices.map((_, place) => createMember(plan, place, progress, { send, isSilent }))
  for (const member of members) {
    const elapsed = elapsedIntervals(member)
    // The first message is due now, or was less than an interval ago.
    schedule(member, elapsed < 1 ? 0 : Math.ceil(elapsed))
  }
  return {
    setFaults(next) {
      faults = next.map((fault) => ({ ...fault, ids: new Set(fault.deviceIds) }))
      for (const member of members)
        for (const { kind, until } of activeFaults(member))
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
    spikeMessages: 0,
  }
  return member
}
