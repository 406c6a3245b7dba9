import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import type { Filter } from '../../parts/table/types.ts'
import { choice, text, type UrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { isTime, spans } from './since.ts'

export const fields = {
  provider: text(),
  search: text(),
  connection: choice(['', 'online', 'offline']),
  silent: text(),
  deadLetters: text(),
  firmware: text(),
}
export type DeviceListState = UrlState<typeof fields>

const RARELY_CHANGED = 300_000
const PAGE = 1000

interface Options {
  state: DeviceListState
  change: (changes: Partial<DeviceListState>) => Promise<void>
  providers: { id: string; displayName: string }[]
}

/** Filters above the list of devices, whose values are in the address. */
export function useDeviceFilters({ state, change, providers }: Options): Filter[] {
  const words = useWords('devices')
  const format = useFormat()
  const releases = useReleases()
  const sinceOptions = (raw: string, named: Record<string, string>) => [
    ...spans.map((span) => ({ value: span, label: named[span]! })),
    ...(isTime(raw) ? [{ value: raw, label: words.sinceTime(format.full(raw)) }] : []),
  ]
  const filters: Filter[] = [
    {
      id: 'connection',
      label: words.connection,
      options: [
        { value: 'online', label: words.online },
        { value: 'offline', label: words.offline },
      ],
      value: state.connection,
      onChange: (connection) => void change({ connection: connection as DeviceListState['connection'] }),
    },
    {
      id: 'silent',
      label: words.silent,
      hint: words.silentHint,
      options: sinceOptions(state.silent, words.silentSpans),
      value: state.silent,
      onChange: (silent) => void change({ silent }),
    },
    {
      id: 'deadLetters',
      label: words.deadLetters,
      hint: words.deadLettersHint,
      options: sinceOptions(state.deadLetters, words.deadLetterSpans),
      value: state.deadLetters,
      onChange: (deadLetters) => void change({ deadLetters }),
    },
  ]
  if (providers.length > 1 || state.provider !== '')
    filters.unshift({
      id: 'provider',
      label: words.provider,
      options: withChosen(providers, state.provider),
      value: state.provider,
      onChange: (provider) => void change({ provider }),
    })
  if (releases.length > 0 || state.firmware !== '')
    filters.push({
      id: 'firmware',
      label: words.firmware,
      options: withChosen(releases, state.firmware),
      value: state.firmware,
      onChange: (firmware) => void change({ firmware }),
    })
  return filters
}

/** Adds the chosen option if it is missing: a link may name one that the user may not see or that is not loaded. */
function withChosen(known: { id: string; displayName: string }[], chosen: string) {
  const options = known.map(({ id, displayName }) => ({ value: id, label: displayName }))
  const isKnown = chosen === '' || known.some(({ id }) => id === chosen)
  return isKnown ? options : [...options, { value: chosen, label: chosen }]
}

/** Firmware releases; empty, so that the filter is hidden, if the user may not see firmware. */
function useReleases() {
  const api = useApi()
  const known = useQuery({
    queryKey: ['firmware-releases'],
    queryFn: async ({ signal }) => {
      const all: { id: string; displayName: string }[] = []
      const releases = api.list('/v1/firmware/releases', { query: { limit: PAGE }, signal })
      for await (const release of releases) all.push(release)
      return all
    },
    staleTime: RARELY_CHANGED,
    retry: false,
  })
  return known.data ?? []
}
