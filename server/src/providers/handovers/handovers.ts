/**
 * Direct methods between processes. Whoever is asked waits for the response itself; the process that holds the device's
 * session sends, and the one to which the device answers (after a `reboot` it may be a third) brings the response back.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../lib/ids.ts'
import { channel } from '../../nodes/channel.ts'
import type { Runtime } from '../../runtime.ts'
import type { LiveSessions } from '../live-sessions.ts'
import type { MethodResponse, PendingMethods } from '../pending-methods.ts'
import { deleteHandover, insertHandover } from './store.ts'

export interface Handovers {
  /** @returns why nobody sends it, or nothing where somebody has */
  invocation(call: HandedInvocation): Promise<Refusal | undefined>
  /** @returns whether another process waited for it */
  response(answered: HandedResponse): Promise<boolean>
}

/** `deaf`: the device is connected, but takes no such message; `away`: no process has it. */
type Refusal = 'deaf' | 'away'

interface HandedInvocation {
  clientId: string
  topic: string
  message: string
}

interface HandedResponse {
  clientId: string
  correlationId: string
  response: MethodResponse
}

type Notice = { id: string } & (
  | { kind: 'invocation'; clientId: string; topic: string }
  | { kind: 'response'; clientId: string; correlationId: string }
  | { kind: 'said'; said: Said }
)
/** `lost`: it was taken, and then the device was gone. */
type Said = 'deaf' | 'lost' | 'taken'

const notices = channel<Notice>('gangway_handovers')

/** So long another process has to take what it heard of; a device waits for PUBACK while its response is offered. */
const INVOCATION_MS = 3000
const RESPONSE_MS = 1000
/** Ours are UUIDs; a device may say anything, and a notice has limits. */
const CORRELATION_ID = /^[0-9a-f-]{36}$/

type Parts = Pick<Runtime, 'db' | 'nodes'> & { liveSessions: LiveSessions; pendingMethods: PendingMethods }

export function createHandovers(ctx: Parts): Handovers {
  const { db, nodes } = ctx
  const asking = new Map<string, (said: Said) => void>()

  /** @returns what others said of it, or nothing where nobody did in time */
  async function handOver(notice: Notice, body: unknown, withinMs: number): Promise<Said | undefined> {
    const { id } = notice
    const said = new Promise<Said>((resolve) => asking.set(id, resolve))
    try {
      await insertHandover(db, id, JSON.stringify(body))
      await notices.publish(ctx, db, notice)
      return await Promise.race([said, sleep(withinMs, undefined, { ref: false })])
    } finally {
      asking.delete(id)
    }
  }

  // Nothing on reconnect: what was lost has had its time, and its call ends as offline, or by its time-out.
  notices.subscribe(ctx, {
    onMessage: async (notice, { isOwn }) => {
      if (isOwn) return
      const { id } = notice
      if (notice.kind === 'said') return asking.get(id)?.(notice.said)
      const said = await (notice.kind === 'invocation' ? sendHere(ctx, notice) : settleHere(ctx, notice))
      if (said) await notices.publish(ctx, db, { id, kind: 'said', said })
    },
  })

  return {
    invocation: async ({ clientId, topic, message }) => {
      const id = newId()
      const said = await handOver({ id, kind: 'invocation', clientId, topic }, message, INVOCATION_MS)
      if (said === 'lost') return 'away'
      // Whoever takes it out of the database sends it; so nobody will any more.
      const isLeft = (await deleteHandover(db, id)) !== undefined
      return isLeft ? (said === 'deaf' ? 'deaf' : 'away') : undefined
    },
    response: async ({ clientId, correlationId, response }) => {
      if (!nodes.peers.exist || !CORRELATION_ID.test(correlationId)) return false
      const id = newId()
      await handOver({ id, kind: 'response', clientId, correlationId }, response, RESPONSE_MS)
      return (await deleteHandover(db, id)) === undefined
    },
  }
}

/** To one session alone. @returns nothing where it is not for this process, or was sent */
async function sendHere(
  ctx: Parts,
  { id, clientId, topic }: Notice & { kind: 'invocation' },
): Promise<Said | undefined> {
  const sessions = () => ctx.liveSessions.of(clientId)
  if (sessions().length === 0) return undefined
  if (!sessions().some((session) => session.takes(topic))) return 'deaf'
  const body = await deleteHandover(ctx.db, id, INVOCATION_MS)
  if (body === undefined) return undefined
  const message = JSON.parse(body) as string
  return sessions().some((session) => session.send(topic, message)) ? undefined : 'lost'
}

async function settleHere(
  ctx: Parts,
  { id, clientId, correlationId }: Notice & { kind: 'response' },
): Promise<Said | undefined> {
  if (!ctx.pendingMethods.isWaiting(clientId, correlationId)) return undefined
  const body = await deleteHandover(ctx.db, id, RESPONSE_MS)
  if (body === undefined) return undefined
  ctx.pendingMethods.settle(clientId, correlationId, JSON.parse(body) as MethodResponse)
  return 'taken'
}
