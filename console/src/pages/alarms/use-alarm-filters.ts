import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import type { Filter } from '../../parts/table/types.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { type AlarmFilters, openStates, type Status } from './status.ts'

const OFFERED = 100
const RARELY_CHANGED = 300_000

interface Options {
  state: AlarmFilters
  change: (changes: Partial<AlarmFilters>) => Promise<void>
  /** The loaded statuses, whose assets and rules are offered. */
  rows: Status[]
}

/** Filters above the list, whose values are in the address. */
export function useAlarmFilters({ state, change, rows }: Options): Filter[] {
  const words = useWords('alarms')
  const common = useWords('common')
  const nodes = useNodes()
  const rules = rows.map(({ alarmId, alarmName }) => ({ value: alarmId, label: alarmName }))
  const assets = rows.map(({ entityId, entityName }) => ({ value: entityId, label: entityName }))
  const byState: Filter = {
    id: 'state',
    label: words.state,
    options: openStates.map((value) => ({ value, label: words.states[value] })),
    value: state.state,
    onChange: (next) => void change({ state: next as AlarmFilters['state'] }),
  }
  const filters: Filter[] = [
    {
      id: 'show',
      label: words.show,
      options: [
        { value: 'open', label: words.open },
        { value: 'history', label: words.history },
      ],
      value: state.show,
      isRequired: true,
      onChange: (show) => void change({ show: show as AlarmFilters['show'], state: '' }),
    },
    {
      id: 'severity',
      label: words.severity,
      options: [5, 4, 3, 2].map((severity) => ({
        value: String(severity),
        label: severity === 5 ? common.severities[5]! : words.andAbove(common.severities[severity]!),
      })),
      value: state.severity === 0 ? '' : String(state.severity),
      onChange: (severity) => void change({ severity: Number(severity) }),
    },
    ...(state.show === 'open' ? [byState] : []),
    {
      id: 'rule',
      label: words.alarm,
      options: withChosen(rules, state.rule),
      value: state.rule,
      onChange: (rule) => void change({ rule }),
    },
    {
      id: 'asset',
      label: words.asset,
      hint: words.assetHint,
      options: withChosen(assets, state.asset),
      value: state.asset,
      onChange: (asset) => void change({ asset }),
    },
  ]
  if (nodes.length > 0 || state.node !== '')
    filters.push({
      id: 'node',
      label: words.node,
      options: withChosen(nodes, state.node),
      value: state.node,
      onChange: (node) => void change({ node }),
    })
  return filters
}

/** Each option once, and the chosen one also if it is not loaded. */
function withChosen(options: { value: string; label: string }[], chosen: string) {
  const known = new Map(options.map((option) => [option.value, option]))
  if (chosen !== '' && !known.has(chosen)) known.set(chosen, { value: chosen, label: chosen })
  return [...known.values()].toSorted((a, b) => a.label.localeCompare(b.label))
}

/** Nodes of the tree; empty, so that the filter is hidden, if the user may not see any. */
function useNodes() {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['nodes', 'offered'],
    queryFn: ({ signal }) =>
      api.get('/v1/tree/nodes', { query: { limit: OFFERED }, signal: withTimeout(signal) }),
    staleTime: RARELY_CHANGED,
    retry: false,
  })
  return (data ?? []).map(({ id, displayName }) => ({ value: id, label: displayName }))
}
