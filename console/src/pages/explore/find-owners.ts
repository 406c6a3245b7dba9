/** Finds the owners of signals, which are assets and clients, and the nodes that contain them. */
import type { Gangway } from '@gangway/client'

export interface Owner {
  id: string
  name: string
  kind: 'node' | 'asset' | 'client'
  /** False if the tree has nothing below it; undefined if that is not known, as for results of a search. */
  hasChildren?: boolean
}

/** A list of owners: what a place of the tree contains, or what a search among all objects of a kind finds. */
export type OwnerList =
  | { kind: 'top' }
  | { kind: 'inside'; parentType: 'node' | 'asset'; parentId: string }
  | { kind: Owner['kind']; search: string }

interface OwnerPage {
  items: Owner[]
  cursor: string | null
}

const FIRST_PAGE = 20
const PAGE = 100

/** Reads a page of a list; the first page of all assets or devices is short, since three lists share the panel. */
export async function listOwners(
  api: Gangway,
  list: OwnerList,
  { cursor, signal }: { cursor: string | undefined; signal: AbortSignal },
): Promise<OwnerPage> {
  if (list.kind === 'top' || list.kind === 'inside') {
    const place = list.kind === 'top' ? {} : { parentType: list.parentType, parentId: list.parentId }
    const page = await api.page('/v1/tree/children', { query: { limit: PAGE, cursor, ...place }, signal })
    return {
      cursor: page.cursor,
      items: page.items.map(({ id, displayName, type, hasChildren }) => ({
        id,
        name: displayName,
        kind: type === 'NODE' ? 'node' : 'asset',
        hasChildren,
      })),
    }
  }
  const { kind } = list
  const limit = cursor === undefined ? FIRST_PAGE : PAGE
  const options = { query: { limit, cursor, search: list.search || undefined }, signal }
  const page = await listKind(api, kind, options)
  return { cursor: page.cursor, items: page.items.map(({ id, displayName: name }) => ({ id, name, kind })) }
}

interface ListOptions {
  query: { limit: number; cursor: string | undefined; search: string | undefined }
  signal: AbortSignal
}

function listKind(
  api: Gangway,
  kind: Owner['kind'],
  options: ListOptions,
): Promise<{ items: { id: string; displayName: string }[]; cursor: string | null }> {
  if (kind === 'node') return api.page('/v1/tree/nodes', options)
  if (kind === 'asset') return api.page('/v1/assets', options)
  return api.page('/v1/provider-clients', options)
}

/** Lists the first assets and clients that match a search, as suggestions. */
export async function findOwners(api: Gangway, search: string, signal: AbortSignal): Promise<Owner[]> {
  const pages = await Promise.all(
    (['asset', 'client'] as const).map((kind) =>
      listOwners(api, { kind, search }, { cursor: undefined, signal }),
    ),
  )
  return pages.flatMap(({ items }) => items)
}
