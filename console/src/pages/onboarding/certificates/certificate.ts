import type { Gangway, Schemas } from '@gangway/client'
import type { StateKind } from '../../../parts/StateMark.tsx'
import { withTimeout } from '../../devices/timeout.ts'

export type Certificate = Schemas['CertificateRecord']

export const certificateStates = ['issued', 'active', 'superseded', 'expired', 'revoked'] as const

export const stateKinds: Record<Certificate['state'], StateKind> = {
  issued: 'off',
  active: 'good',
  superseded: 'off',
  expired: 'warning',
  revoked: 'bad',
}

export const deviceReasons = [
  'unspecified',
  'key_compromise',
  'affiliation_changed',
  'superseded',
  'cessation_of_operation',
  'privilege_withdrawn',
] as const
export const authorityReasons = ['ca_compromise', ...deviceReasons] as const

const DAY_MS = 86_400_000
const PAGE = 1000
const MOST_PAGES = 3

/** Parses a range of expiry dates: the coming days (`30d`), or the week that begins on a Monday (`2026-11-23`). */
export function readSpan(ends: string, nowMs: number): { fromMs: number; toMs: number } | null {
  const [, days] = /^(\d{1,3})d$/.exec(ends) ?? []
  if (days !== undefined) return { fromMs: nowMs, toMs: nowMs + Number(days) * DAY_MS }
  const fromMs = /^\d{4}-\d\d-\d\d$/.test(ends) ? Date.parse(`${ends}T00:00:00Z`) : Number.NaN
  return Number.isNaN(fromMs) ? null : { fromMs, toMs: fromMs + 7 * DAY_MS }
}

/**
 * Loads the usable certificates that expire in a range, sorted by expiry. The API does not sort them, so up to some
 * thousands of each state are loaded completely.
 */
export async function loadEnding(
  api: Gangway,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  given: AbortSignal,
): Promise<{ items: Certificate[]; isCut: boolean }> {
  const expiresBefore = new Date(toMs).toISOString()
  const lists = await Promise.all(
    (['issued', 'active'] as const).map((state) => loadAll(api, { expiresBefore, state }, given)),
  )
  const items = lists
    .flatMap((list) => list.items)
    .filter(({ notAfter }) => Date.parse(notAfter) >= fromMs)
    .toSorted((a, b) => a.notAfter.localeCompare(b.notAfter))
  return { items, isCut: lists.some(({ isCut }) => isCut) }
}

async function loadAll(
  api: Gangway,
  query: { expiresBefore: string; state: Certificate['state'] },
  given: AbortSignal,
) {
  const items: Certificate[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await api.page('/v1/certificates', {
      query: { ...query, limit: PAGE, cursor },
      signal: withTimeout(given),
    })
    items.push(...page.items)
    if (page.cursor === null) return { items, isCut: false }
    cursor = page.cursor
  }
  return { items, isCut: true }
}
