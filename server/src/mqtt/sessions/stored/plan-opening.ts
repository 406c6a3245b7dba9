/** Decides what becomes of the sessions of clients that open or remove some of them. */
import { MAX_STORED_SESSIONS_OF_DEVICE } from '../../connection/limits.ts'
import { sessionName } from './owned-sessions.ts'
import type { OpenRequest } from './stored-sessions.ts'

export type Request =
  | ({ kind: 'open' } & OpenRequest)
  | { kind: 'remove'; clientNumber: number; clientId: string }

export interface ExistingSession {
  number: number
  clientNumber: number
  clientId: string
  nodeId: string | null
  generation: number
  disconnectedAt: Date | null
  isExpired: boolean
}

export type OpenWish = Extract<Request, { kind: 'open' }>

export interface OpeningPlan {
  removed: ExistingSession[]
  /** Part of `removed`: they made room for others. */
  evicted: ExistingSession[]
  resumed: { request: OpenWish; session: ExistingSession }[]
  created: OpenWish[]
}

/**
 * Divides requests into rounds which run one after the other. In a round a session occurs once, and the sessions that a
 * client opens are within its limit.
 */
export function divideIntoRounds(requests: Request[]): Request[][] {
  const rounds: { requests: Request[]; counts: Map<number, number> }[] = []
  /** The first round in which the session may occur again: requests for one session keep their order. */
  const nextRounds = new Map<string, number>()
  for (const request of requests) {
    const { clientNumber } = request
    const name = sessionName(clientNumber, request.clientId)
    let index = nextRounds.get(name) ?? 0
    while ((rounds[index]?.counts.get(clientNumber) ?? 0) >= MAX_STORED_SESSIONS_OF_DEVICE) index++
    nextRounds.set(name, index + 1)
    const round = (rounds[index] ??= { requests: [], counts: new Map() })
    round.requests.push(request)
    round.counts.set(clientNumber, (round.counts.get(clientNumber) ?? 0) + 1)
  }
  return rounds.map((round) => round.requests)
}

/** @param existing all sessions of the clients */
export function planOpening(requests: Request[], existing: ExistingSession[]): OpeningPlan {
  const byName = new Map(
    existing.map((session) => [sessionName(session.clientNumber, session.clientId), session]),
  )
  const plan: OpeningPlan = {
    removed: existing.filter(({ isExpired }) => isExpired),
    evicted: [],
    resumed: [],
    created: [],
  }
  for (const request of requests) {
    const session = byName.get(sessionName(request.clientNumber, request.clientId))
    const isFresh = !session || session.isExpired
    if (request.kind === 'open' && !isFresh && !request.cleanStart) plan.resumed.push({ request, session })
    else {
      if (!isFresh) plan.removed.push(session)
      if (request.kind === 'open') plan.created.push(request)
    }
  }
  evictSessions(plan, existing)
  return plan
}

function evictSessions(plan: OpeningPlan, existing: ExistingSession[]): void {
  const isDecided = new Set([...plan.removed, ...plan.resumed.map(({ session }) => session)])
  const kept = new Map<number, ExistingSession[]>()
  for (const session of existing)
    if (!isDecided.has(session))
      kept.set(session.clientNumber, [...(kept.get(session.clientNumber) ?? []), session])
  const opened = new Map<number, number>()
  for (const { clientNumber } of [...plan.resumed.map(({ request }) => request), ...plan.created])
    opened.set(clientNumber, (opened.get(clientNumber) ?? 0) + 1)
  for (const [clientNumber, count] of opened) {
    const others = kept.get(clientNumber) ?? []
    const excess = Math.max(0, others.length + count - MAX_STORED_SESSIONS_OF_DEVICE)
    plan.evicted.push(...others.toSorted(byLeaving).slice(0, excess))
  }
  plan.removed.push(...plan.evicted)
}

/** Sorts by the time of disconnection; connected sessions come last, in the order of their creation. */
const byLeaving = (a: ExistingSession, b: ExistingSession): number =>
  (a.disconnectedAt?.getTime() ?? Infinity) - (b.disconnectedAt?.getTime() ?? Infinity) || a.number - b.number
