import type { Answer, Body, Gangway, Item } from '@gangway/client'
import { type Place, placeKey, placeOf, type TreeChild } from './place.ts'

export type AccessChange = NonNullable<Answer<'post', '/v1/tree/move'>['accessChanges']>[number]

export interface Move {
  body: Body<'post', '/v1/tree/move'>
  /** Present places of the thing. */
  places: Item<'/v1/tree/places'>[]
}

/** Greatest number of things moved at once, since each takes a request for the dry run and another for the move. */
export const MOST_MOVED = 20

/**
 * Lists the moves of things to a place, without the things that are there already.
 * @param leaving edge that a single thing leaves, '' for none; by default the edge by which it was selected, or its first
 */
export async function listMoves(
  api: Gangway,
  {
    things,
    to,
    leaving,
    signal,
  }: { things: TreeChild[]; to: Place | null; leaving: string | undefined; signal: AbortSignal },
): Promise<Move[]> {
  const moves: Move[] = []
  for (const thing of things) {
    const { type, id } = placeOf(thing)
    const places = await api.get('/v1/tree/places', { query: { type, id }, signal })
    const own = thing.edgeId ?? (places.length > 0 ? places[0]!.edgeId : '')
    const edgeId = (leaving ?? own) || null
    const from = places.find((place) => place.edgeId === edgeId)?.path.at(-1)
    const isThere = placeKey(from === undefined ? null : placeOf(from)) === placeKey(to)
    if (!isThere) moves.push({ body: { type, id, edgeId, to }, places })
  }
  return moves
}

/** Merges access changes into one entry per subject. */
export function mergeChanges(changes: AccessChange[]): AccessChange[] {
  const merged = new Map<string, AccessChange>()
  for (const change of changes) {
    const key = `${change.subjectType} ${change.subjectId}`
    const { gained = [], lost = [] } = merged.get(key) ?? {}
    merged.set(key, {
      ...change,
      gained: [...new Set([...gained, ...change.gained])],
      lost: [...new Set([...lost, ...change.lost])],
    })
  }
  return [...merged.values()]
}
