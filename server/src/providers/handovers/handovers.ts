/**
 * Direct methods between processes. Whoever is asked waits for the response itself; the process that holds the device's
 * session sends, and the one to which the device answers (after a `reboot` it may be a third) brings the response back.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Context } from '../../context.ts'
import { newId } from '../../lib/ids.ts'
import type { MethodResponse } from '../pending-methods.ts'
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

/** Its payload is a `Notice`. */
const HANDOVER_CHANNEL = 'gangway_handovers'

type Notice = { id: string; nodeId: string } & (
  | { kind: 'invocation'; clientId: string; topic: string }
  | { kind: 'response'; clientId: string; correlationId: string }
  | { kind: 'said'; said: Said }
)
/** `lost`: it was taken, and then the device was gone. */
type Said = 'deaf' | 'lost' | 'taken'

/** So long another process has to take what it heard of; a device waits for PUBACK while its response is offered. */
const INVOCATION_MS = 3000
const RESPONSE_MS = 1000
/** Ours are UUIDs; a device may say anything, and a notice has limits. */
const CORRELATION_ID = /^[0-9a-f-]{36}$/

type Parts = Pick<Context, 'db' | 'nodeId' | 'peers' | 'listeners' | 'liveSessions' | 'pendingMethods'>

export function createHandovers(ctx: Parts): Handovers {
  const { db, nodeId, peers } = ctx
  const asking = new Map<string, (said: Said) => void>()

  /** @returns what others said of it, or nothing where nobody did in time */
  async function handOver(
    id: string,
    body: unknown,
    notice: object,
    withinMs: number,
  ): Promise<Said | undefined> {
    const said = new Promise<Said>((resolve) => asking.set(id, resolve))
    try {
      await insertHandover(db, {
        id,
        body: JSON.stringify(body),
        channel: HANDOVER_CHANNEL,
        notice: JSON.stringify({ id, nodeId, ...notice }),
      })
      return await Promise.race([said, sleep(withinMs, undefined, { ref: false })])
    } finally {
      asking.delete(id)
    }
  }

  ctx.listeners.set(HANDOVER_CHANNEL, {
    heard: async (payload) => {
      const notice = JSON.parse(payload) as Notice
      if (notice.nodeId === nodeId) return
      const { id } = notice
      if (notice.kind === 'said') return asking.get(id)?.(notice.said)
      const said = await (notice.kind === 'invocation' ? sendHere(ctx, notice) : settleHere(ctx, notice))
      if (said) await say(ctx, id, said)
    },
    // What was said meanwhile has had its time: a call ends as offline, or by its time-out.
    connected: () => {},
  })

  return {
    invocation: async ({ clientId, topic, message }) => {
      const id = newId()
      const said = await handOver(id, message, { kind: 'invocation', clientId, topic }, INVOCATION_MS)
      if (said === 'lost') return 'away'
      // Whoever takes it out of the database sends it; so nobody will any more.
      const isLeft = (await deleteHandover(db, id)) !== undefined
      return isLeft ? (said === 'deaf' ? 'deaf' : 'away') : undefined
    },
    response: async ({ clientId, correlationId, response }) => {
      if (!peers.areThere || !CORRELATION_ID.test(correlationId)) return false
      const id = newId()
      await handOver(id, response, { kind: 'response', clientId, correlationId }, RESPONSE_MS)
      return (await deleteHandover(db, id)) === undefined
    },
  }
}

const say = ({ db, nodeId }: Parts, id: string, said: Said) => {
  const notice: Notice = { id, nodeId, kind: 'said', said }
  return sql`select pg_notify(${HANDOVER_CHANNEL}, ${JSON.stringify(notice)})`.execute(db)
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
