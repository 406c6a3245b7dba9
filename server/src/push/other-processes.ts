/**
 * Several processes, one NATS (GANGWAY_NATS_URL): a sample reaches those who watch it, whichever process took it in. Each
 * process says which tenants are watched at it, and only those samples travel. At most once, as everything that is live.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node'
import type { Runtime } from '../runtime.ts'
import type { StoredSample } from '../timeseries/stored-sample.ts'
import { deliverSamples } from './deliver.ts'
import type { Push } from './push.ts'

export interface OtherProcesses extends AsyncDisposable {
  /** Goes to those at which somebody watches; mostly that is none. Neither waits nor throws. */
  publish(samples: StoredSample[]): void
  /** @returns once the others send what happens to the tenant from now on */
  watch(tenantId: string): Promise<void>
}

const WATCHED = 'gangway.push.watched'
const subjectOf = (tenantId: string) => `gangway.push.tenant.${Buffer.from(tenantId).toString('base64url')}`

const SAY_EVERY_MS = 5000
/** A process that has been silent for so long is gone. */
const SILENT_MS = 3 * SAY_EVERY_MS
/** What was said reaches the others within this time, unless something is wrong. */
const HEARD_MS = 50
const ITEMS_A_MESSAGE = 500

interface Peer {
  tenantIds: Set<string>
  heardAtMs: number
}

type RelayContext = Pick<Runtime, 'log' | 'nodes'> & { push: Push }

/** @throws when NATS does not answer */
export async function joinOtherProcesses(ctx: RelayContext, natsUrl: string): Promise<OtherProcesses> {
  const nats = await connect({
    servers: natsUrl,
    name: 'gangway push',
    maxReconnectAttempts: -1,
    noEcho: true,
  })
  const peers = new Map<string, Peer>()
  const listening = new Map<string, { subscription: Subscription; isHeard: Promise<void> }>()

  const say = (isNew = false) => {
    const tenantIds = [...ctx.push.watchers.keys()]
    if (isConnected()) nats.publish(WATCHED, JSON.stringify({ nodeId: ctx.nodes.id, tenantIds, isNew }))
  }
  const isConnected = followConnection(nats, () => say(true))
  nats.subscribe(WATCHED, {
    callback: (_error, message) => {
      const said = read<{ nodeId: string; tenantIds: string[]; isNew: boolean }>(ctx, message)
      if (!said) return
      peers.set(said.nodeId, { tenantIds: new Set(said.tenantIds), heardAtMs: performance.now() })
      if (said.isNew) say()
    },
  })
  const toldOthers = async () => {
    if (!isConnected()) return
    say()
    await nats.flush()
    await sleep(HEARD_MS)
  }
  const listenTo = (tenantId: string) => {
    const callback = (_error: Error | null, message: Msg) => receive(ctx, message)
    const subscription = nats.subscribe(subjectOf(tenantId), { callback })
    const place = { subscription, isHeard: toldOthers() }
    listening.set(tenantId, place)
    return place
  }
  const settle = () => {
    for (const [tenantId, { subscription }] of listening) {
      if (ctx.push.watchers.has(tenantId)) continue
      subscription.unsubscribe()
      listening.delete(tenantId)
    }
    for (const [nodeId, { heardAtMs }] of peers)
      if (performance.now() - heardAtMs > SILENT_MS) peers.delete(nodeId)
    say()
  }
  const saying = setInterval(settle, SAY_EVERY_MS)
  say(true)

  return {
    publish: (samples) => {
      if (peers.size > 0 && isConnected()) publish(ctx, nats, peers, samples)
    },
    watch: (tenantId) => (listening.get(tenantId) ?? listenTo(tenantId)).isHeard,
    [Symbol.asyncDispose]: async () => {
      clearInterval(saying)
      await nats.close()
    },
  }
}

/** While the connection is lost, NATS would keep in memory whatever is published. */
function followConnection(nats: NatsConnection, onBack: () => void): () => boolean {
  let isLost = false
  const follow = async () => {
    for await (const { type } of nats.status()) {
      if (type === 'disconnect') isLost = true
      if (type !== 'reconnect') continue
      isLost = false
      onBack()
    }
  }
  void follow()
  return () => !isLost && !nats.isClosed()
}

function receive(ctx: RelayContext, message: Msg): void {
  const samples = read<StoredSample[]>(ctx, message)
  try {
    if (samples) deliverSamples(ctx.push, samples)
  } catch (error) {
    ctx.log.error({ err: error }, 'what another process pushed was not delivered')
  }
}

/** Others may speak on this NATS, too. */
function read<T>({ log }: RelayContext, message: Msg): T | undefined {
  try {
    return message.json<T>()
  } catch {
    log.warn({ subject: message.subject }, 'a message between processes is no JSON')
    return undefined
  }
}

function publish(
  ctx: RelayContext,
  nats: NatsConnection,
  peers: Map<string, Peer>,
  samples: StoredSample[],
): void {
  const isWatched = (tenantId: string) => [...peers.values()].some(({ tenantIds }) => tenantIds.has(tenantId))
  const tenantIds = new Set(samples.map(({ tenantId }) => tenantId))
  for (const tenantId of tenantIds) {
    if (!isWatched(tenantId)) continue
    const own = samples.filter((sample) => sample.tenantId === tenantId)
    for (let at = 0; at < own.length; at += ITEMS_A_MESSAGE)
      publishInParts(ctx, nats, subjectOf(tenantId), own.slice(at, at + ITEMS_A_MESSAGE))
  }
}

function publishInParts(
  ctx: RelayContext,
  nats: NatsConnection,
  subject: string,
  samples: StoredSample[],
): void {
  const payload = Buffer.from(JSON.stringify(samples))
  if (payload.length <= nats.info!.max_payload) return nats.publish(subject, payload)
  if (samples.length === 1)
    return ctx.log.warn(
      { bytes: payload.length },
      'a value is too large for NATS: other processes do not push it',
    )
  const half = samples.length >> 1
  for (const part of [samples.slice(0, half), samples.slice(half)]) publishInParts(ctx, nats, subject, part)
}
