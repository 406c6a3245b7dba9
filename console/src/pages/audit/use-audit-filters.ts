import type { Filter } from '../../parts/table/types.ts'
import { useWords } from '../../words/words.tsx'
import { useUserNames } from '../access/ObjectName.tsx'
import type { Entry } from './entry.ts'

interface AuditFilters {
  type: string
  id: string
  actor: string
  action: string
}

interface Options {
  state: AuditFilters
  change: (changes: Partial<AuditFilters>) => Promise<void>
  /** The loaded entries, whose actors are offered. */
  rows: Entry[]
}

/** Filters of the audit log, whose values are in the address. */
export function useAuditFilters({ state, change, rows }: Options): Filter[] {
  const words = useWords('audit')
  const access = useWords('access')
  const users = rows.flatMap(({ actorType, actorId }) => (actorType === 'user' && actorId) || [])
  const names = useUserNames([...users, state.actor])
  const actors = [...rows.flatMap(({ actorId }) => actorId ?? []), state.actor]
  const filters: Filter[] = [
    {
      id: 'type',
      label: words.type,
      options: offer({ ...access.types, ...words.types }, [state.type]),
      value: state.type,
      onChange: (type) => void change({ type, id: '' }),
    },
    {
      id: 'action',
      label: words.action,
      options: offer(words.actions, [state.action]),
      value: state.action,
      onChange: (action) => void change({ action }),
    },
    {
      id: 'actor',
      label: words.who,
      hint: words.whoHint,
      options: offer(Object.fromEntries(actors.map((id) => [id, names.get(id) ?? id])), []),
      value: state.actor,
      onChange: (actor) => void change({ actor }),
    },
  ]
  if (state.id !== '')
    filters.push({
      id: 'id',
      label: words.object,
      options: [{ value: state.id, label: state.id }],
      value: state.id,
      onChange: (id) => void change({ id }),
    })
  return filters
}

/** Names and values in the order of names; a value of the address that has no name is offered as it is. */
function offer(names: Record<string, string>, chosen: string[]) {
  const unnamed = chosen.filter((value) => !(value in names)).map((value) => [value, value] as const)
  return [...Object.entries(names), ...unnamed]
    .filter(([value]) => value !== '')
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => a.label.localeCompare(b.label))
}
