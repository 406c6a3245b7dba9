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
  /** What has happened to the connection, with the reasons. */
  story: string[]
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
    const story: string[] = []
    const realtime = gangway.realtime({
      WebSocket,
      onState: (state) => tell(story, state.name, 'error' in state ? state.error : undefined),
    })
    connections.push(realtime)
    return { story, ...(await subscribe(gangway, realtime, { assets, story })) }
  })
  return {
    all: await Promise.all(all),
    [Symbol.dispose]: () => {
      for (const realtime of connections) realtime.close()
    },
  }
}

function tell(story: string[], what: string, error?: Error) {
  story.push(`${new Date().toISOString()} ${what}${error ? `: ${error.message}` : ''}`)
}

async function subscribe(
  gangway: Gangway,
  realtime: Realtime,
  { assets, story }: { assets: string[]; story: string[] },
): Promise<Omit<Subscriber, 'story'>> {
  const numbers = new Map<string, unknown>()
  const alarms = new Map<string, string>()
  const subscriptions = [
    realtime.subscribe(
      { topic: 'telemetry', assets },
      (event) => {
        if (event.timeseriesName === 'number') numbers.set(event.assetId, event.value)
      },
      {
        onGap: () => tell(story, 'values are complete again'),
        onEnd: (error) => tell(story, 'values have ended', error),
      },
    ),
    realtime.subscribe(
      { topic: 'alarm', assets },
      ({ status: { alarmStatusId, state } }) => {
        if (state === 'cleared') alarms.delete(alarmStatusId)
        else alarms.set(alarmStatusId, state)
      },
      {
        onGap: () => void deleteCleared(gangway, realtime, alarms),
        onEnd: (error) => tell(story, 'alarms have ended', error),
      },
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
