import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import type { UrlField } from '../../../url-state.ts'
import { withTimeout } from '../../devices/timeout.ts'
import type { Variable } from '../board/board.ts'
import type { Bindings } from '../board/signals.ts'

/** Ids that the user chose, by the name of the variable. */
export type Chosen = Record<string, string[]>

/** In the address: `pump=pump-7,hall=a~b`. */
export const chosenVariables = (): UrlField<Chosen> => ({
  parse: (raw = '') =>
    Object.fromEntries(
      raw
        .split(',')
        .map((part) => part.split('='))
        .filter((part): part is [string, string] => part.length === 2 && part[0] !== '' && part[1] !== '')
        .map(([name, ids]) => [name, ids.split('~')]),
    ),
  format: (chosen) =>
    Object.entries(chosen)
      .filter(([, ids]) => ids.length > 0)
      .map(([name, ids]) => `${name}=${ids.join('~')}`)
      .join(',') || undefined,
})

/** Most assets of a variable that a board follows; its token reads as many. [docs/dashboards#tokens] */
export const MOST_ASSETS = 50
/** Levels of the tree below a node that are followed. */
const DEPTH = 5
/** A screen on a wall follows what comes to a node, and what goes. */
const REFRESH_MS = 60_000

export interface BoundVariables {
  byName: Bindings
  /** Variables that stand for more assets than the board follows. */
  cut: Cut[]
  error: Error | null
}

export interface Cut {
  name: string
  /** Number of its assets; of a node, those that the levels that are read have. */
  count: number
  /** Whether the node has others below the levels that are read, whose contents are not known. */
  isDeep: boolean
}

/** Assets of each variable; those of a node are read from the tree. */
export function useBindings(variables: Variable[], chosen: Chosen): BoundVariables {
  const api = useApi()
  const nodes = variables.filter(({ kind }) => kind === 'node')
  const idOf = ({ name, value }: Variable) => (chosen[name] ?? value)[0]
  const found = useQueries({
    queries: nodes.map((variable) => ({
      queryKey: ['assets-of-node', idOf(variable)],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        listBelow(
          await api.get('/v1/tree', {
            query: { depth: DEPTH, startNodeId: idOf(variable)! },
            signal: withTimeout(signal),
          }),
        ),
      enabled: idOf(variable) !== undefined,
      refetchInterval: REFRESH_MS,
    })),
    combine: (results) => ({
      below: results.map(({ data }) => data),
      error: results.find(({ error }) => error !== null)?.error ?? null,
    }),
  })
  const written = JSON.stringify(
    variables.map(({ name, kind, label = name, value }, index) => {
      const ids = chosen[name] ?? value
      if (kind === 'asset') return { name, label, ids: ids.slice(0, 1), isDeep: false }
      if (kind === 'assets') return { name, label, ids, isDeep: false }
      const { assets, isDeep } = found.below[nodes.indexOf(variables[index]!)] ?? nothing
      return { name, label, ids: assets, isDeep }
    }),
  )
  const { byName, cut } = useMemo(() => bindAll(JSON.parse(written) as Bound[]), [written])
  return { byName, cut, error: found.error }
}

interface Bound {
  name: string
  label: string
  ids: string[]
  isDeep: boolean
}

const bindAll = (all: Bound[]) => ({
  byName: Object.fromEntries(all.map(({ name, ids }) => [name, ids.slice(0, MOST_ASSETS)])) as Bindings,
  cut: all
    .filter(({ ids, isDeep }) => ids.length > MOST_ASSETS || isDeep)
    .map(({ label, ids, isDeep }): Cut => ({ name: label, count: ids.length, isDeep })),
})

interface Place {
  id: string
  type: 'NODE' | 'ASSET'
  children: Place[]
}

const nothing = { assets: [] as string[], isDeep: false }

/** The assets below a node, the nearest levels first and in a level by their ids, as a token of the dashboard reads them. */
export function listBelow(start: Place): { assets: string[]; isDeep: boolean } {
  const assets = new Set<string>()
  let level = [start]
  for (let depth = 0; depth < DEPTH; depth++) {
    level = level.flatMap(({ children }) => children.toSorted(byTypeAndId))
    for (const { id, type } of level) if (type === 'ASSET') assets.add(id)
  }
  return { assets: [...assets], isDeep: level.some(({ type }) => type === 'NODE') }
}

const byTypeAndId = (one: Place, other: Place) =>
  one.type === other.type ? (one.id < other.id ? -1 : 1) : one.type === 'ASSET' ? -1 : 1
