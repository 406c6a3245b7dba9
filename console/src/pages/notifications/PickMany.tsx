import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'

export interface Named {
  id: string
  name: string
}

interface Props {
  /** Names the kind of thing in the cache, such as `rules`. */
  kind: string
  label: string
  description?: string
  value: string[]
  onChange: (ids: string[]) => void
  error?: string | undefined
  isReadOnly: boolean
  /** Finds things by a part of their name; all of them, cut, for ''. */
  find: (search: string, signal: AbortSignal) => Promise<Named[]>
  /** Reads one, for the name of a chosen thing that the search did not bring. */
  read: (id: string, signal: AbortSignal) => Promise<Named>
}

const SEARCH_DELAY_MS = 200
/** Each name is a request; further ones are shown as ids. */
const MOST_READ = 20
const KEPT_MS = 300_000

/** A field for any number of things, which the server searches. */
export function PickMany({
  kind,
  label,
  description,
  value,
  onChange,
  error,
  isReadOnly,
  find,
  read,
}: Props) {
  const words = useWords('notifications')
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS)
  const [picked, setPicked] = useState<ReadonlyMap<string, string>>(new Map())
  const found = useQuery({
    queryKey: ['picked', kind, search],
    queryFn: ({ signal }) => find(search, withTimeout(signal)),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  const offered = new Map((found.data ?? []).map(({ id, name }) => [id, name]))
  const unknown = found.isPending ? [] : value.filter((id) => !offered.has(id) && !picked.has(id))
  const names = useQueries({
    queries: unknown.slice(0, MOST_READ).map((id) => ({
      queryKey: ['picked', kind, 'one', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(id, withTimeout(signal)),
      staleTime: KEPT_MS,
      retry: false,
    })),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data.name] as const]))),
  })
  const ids = [...new Set([...value, ...offered.keys()])]
  return (
    <MultiSelect
      label={label}
      description={description}
      searchable
      readOnly={isReadOnly}
      nothingFoundMessage={words.nothingFound}
      comboboxProps={{ transitionProps: { duration: 0 } }}
      // The server has searched.
      filter={({ options }) => options}
      data={ids.map((id) => ({ value: id, label: offered.get(id) ?? picked.get(id) ?? names.get(id) ?? id }))}
      searchValue={typed}
      onSearchChange={setTyped}
      value={value}
      onChange={(next) => {
        setPicked((present) => new Map([...present, ...[...offered].filter(([id]) => next.includes(id))]))
        onChange(next)
      }}
      error={error}
    />
  )
}
