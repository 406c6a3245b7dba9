/** What users do with the fleet during the faults, at any node: methods, commands, desired properties, alarms. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, clientsPath } from '../../harness/cluster.ts'
import type { TestAnswer } from '../../harness/platform.ts'
import type { Choose } from './fault-world.ts'
import { assetOf } from './fleet.ts'
import { COMMAND, type FleetDevice } from './fleet-device.ts'

/** A method or a command, and the answer to the request; status 0 where none came, since the node was killed or hung. */
export interface Call {
  number: number
  device: FleetDevice
  status: number
  body: TestAnswer['body']
}

export interface Work {
  methods: Call[]
  commands: Call[]
}

/** At any node. */
type Ask = (method: string, path: string, body?: unknown) => Promise<TestAnswer>

const PAUSE_MS = 100
const COMMAND_SECONDS = 600

export function startWork(cluster: Cluster, devices: FleetDevice[], choose: Choose) {
  const work: Work = { methods: [], commands: [] }
  const stopping = new AbortController()
  const repeat = async (step: (number: number) => Promise<unknown>) => {
    for (let number = 0; !stopping.signal.aborted; number++) {
      await step(number)
      await sleep(PAUSE_MS)
    }
  }
  const ask: Ask = (method, path, body) =>
    cluster
      .ask(choose(cluster.nodes.length), method, path, body)
      .catch(() => ({ status: 0, headers: new Headers(), body: undefined }))
  const chooseDevice = () => devices[choose(devices.length)]!
  const at = (device: FleetDevice) => `${clientsPath}/${device.id}`
  const working = [
    repeat(async (number) => {
      const device = chooseDevice()
      const question = { method: 'm', payload: { number }, timeoutSeconds: 5 }
      const { status, body } = await ask('POST', `${at(device)}/methods`, question)
      work.methods.push({ number, device, status, body })
    }),
    repeat(async (number) => {
      const device = chooseDevice()
      const command = { payload: number, expiresAfterSeconds: COMMAND_SECONDS }
      const path = `/v1/assets/${assetOf(device.id)}/commands/${COMMAND}`
      const { status, body } = await ask('POST', path, command)
      work.commands.push({ number, device, status, body })
    }),
    repeat((interval) => ask('PUT', `${at(chooseDevice())}/properties/desired`, { interval })),
    // An alarm triggers again once it was acknowledged and has ended.
    repeat(() => acknowledgeAll(ask)),
  ]
  const stop = async (): Promise<Work> => {
    stopping.abort()
    await Promise.all(working)
    return work
  }
  return {
    /** @returns all that was asked */
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}

export async function acknowledgeAll(ask: Ask): Promise<void> {
  const { status, body } = await ask('GET', '/v1/alarms/status')
  for (const { alarmStatusId } of status === 200 ? body : [])
    await ask('PUT', `/v1/alarms/status/acknowledge/${alarmStatusId}`)
}
