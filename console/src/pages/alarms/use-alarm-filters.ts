import type { Finder } from '../../parts/pick/finder.ts'
import type { Filter } from '../../parts/table/types.ts'
import { useWords } from '../../words/words.tsx'
import { useObjectFinder } from '../access/use-object-finder.ts'
import { type AlarmFilters, openStates } from './status.ts'

interface Options {
  state: AlarmFilters
  change: (changes: Partial<AlarmFilters>) => Promise<void>
}

/** Filters above the list, whose values are in the address. */
export function useAlarmFilters({ state, change }: Options): Filter[] {
  const words = useWords('alarms')
  const common = useWords('common')
  const find = (id: 'rule' | 'asset' | 'node', label: string, finder: Finder): Filter => ({
    id,
    label,
    finder,
    value: state[id],
    onChange: (value) => void change({ [id]: value }),
  })
  const byState: Filter = {
    id: 'state',
    label: words.state,
    options: openStates.map((value) => ({ value, label: words.states[value] })),
    value: state.state,
    onChange: (next) => void change({ state: next as AlarmFilters['state'] }),
  }
  return [
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
    find('rule', words.alarm, useObjectFinder('alarm')),
    find('asset', words.asset, useObjectFinder('asset')),
    find('node', words.node, useObjectFinder('node')),
  ]
}
