/** Subscribers of real-time push, one at each node, who know what the fleet has sent last and which alarms are open. */
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { connect, type Gangway } from '../../../../client/src/connect.ts'
import type { Realtime } from '../../../../client/src/realtime/realtime.ts'
import type { Cluster } from '../../harness/cluster.ts'

export interface Subscriber {
  /** The last number of each asset. */
  numbers: Map<string, unknown>
  /** The states of the alarms that are not cleared, by the id of their status. */
  alarms: Map<string, string>
}

export interface Subscribers extends Disposable {
  /** By their nodes. */
  all: Subscriber[]
}

const PAUSE_MS = 200

export async function subscribeAtEach({ nodes, token }: Cluster, assets: string[]): Promise<Subscribers> {
  const connections: Realtime[] = []
  const all = nodes.map(async ({ endpoints }) => {
    const gangway = connect({ url: endpoints.http, token })
    const realtime = gangway.realtime({ WebSocket })
    connections.push(realtime)
    return subscribe(gangway, realtime, assets)
  })
  return {
    all: await Promise.all(all),
    [Symbol.dispose]: () => {
      for (const realtime of connections) realtime.close()
    },
  }
}

async function subscribe(gangway: Gangway, realtime: Realtime, assets: string[]): Promise<Subscriber> {
  const numbers = new Map<string, unknown>()
  const alarms = new Map<string, string>()
  const subscriptions = [
    realtime.subscribe({ topic: 'telemetry', assets }, (event) => {
      if (event.timeseriesName === 'number') numbers.set(event.assetId, event.value)
    }),
    realtime.subscribe(
      { topic: 'alarm', assets },
      ({ status: { alarmStatusId, state } }) => {
        if (state === 'cleared') alarms.delete(alarmStatusId)
        else alarms.set(alarmStatusId, state)
      },
      { onGap: () => void deleteCleared(gangway, realtime, alarms) },
    ),
  ]
  await Promise.all(subscriptions.map(({ started }) => started))
  return { numbers, alarms }
}

/** After a gap come the open alarms. Those that were cleared meanwhile have to be asked for. */
async function deleteCleared(
  gangway: Gangway,
  realtime: Realtime,
  alarms: Map<string, string>,
): Promise<void> {
  const known = [...alarms.keys()]
  for (; realtime.state.name !== 'closed'; await sleep(PAUSE_MS)) {
    const open = await listOpen(gangway).catch(() => undefined)
    if (!open) continue
    for (const id of known) if (!open.has(id)) alarms.delete(id)
    return
  }
}

async function listOpen(gangway: Gangway): Promise<Set<string>> {
  const open = new Set<string>()
  for await (const { alarmStatusId } of gangway.list('/v1/alarms/status')) open.add(alarmStatusId)
  return open
}
