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

/** Most assets of a node that a board follows. */
export const MOST_ASSETS = 50
/** Levels of the tree below a node. */
const DEPTH = 5

/** Assets of each variable; those of a node are read from the tree. */
export function useBindings(
  variables: Variable[],
  chosen: Chosen,
): { byName: Bindings; error: Error | null } {
  const api = useApi()
  const nodes = variables.filter(({ kind }) => kind === 'node')
  const idOf = ({ name, value }: Variable) => (chosen[name] ?? value)[0]
  const found = useQueries({
    queries: nodes.map((variable) => ({
      queryKey: ['assets-of-node', idOf(variable)],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        listAssetIds(
          await api.get('/v1/tree', {
            query: { depth: DEPTH, startNodeId: idOf(variable)! },
            signal: withTimeout(signal),
          }),
        ),
      enabled: idOf(variable) !== undefined,
      staleTime: 300_000,
    })),
    combine: (results) => ({
      assets: results.map(({ data }) => data),
      error: results.find(({ error }) => error !== null)?.error ?? null,
    }),
  })
  const written = JSON.stringify(
    variables.map((variable) => {
      const ids = chosen[variable.name] ?? variable.value
      if (variable.kind === 'asset') return [variable.name, ids.slice(0, 1)]
      if (variable.kind === 'assets') return [variable.name, ids.slice(0, MOST_ASSETS)]
      return [variable.name, (found.assets[nodes.indexOf(variable)] ?? []).slice(0, MOST_ASSETS)]
    }),
  )
  const byName = useMemo(() => Object.fromEntries(JSON.parse(written)) as Bindings, [written])
  return { byName, error: found.error }
}

interface Place {
  id: string
  type: 'NODE' | 'ASSET'
  children: Place[]
}

/** Assets of a place of the tree, with those below it. */
const listAssetIds = ({ id, type, children }: Place): string[] => [
  ...(type === 'ASSET' ? [id] : []),
  ...children.flatMap(listAssetIds),
]
