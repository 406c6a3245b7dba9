import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useWords } from '../../words/words.tsx'
import { markOptions } from '../outdated-list.ts'
import type { Finder } from './finder.ts'

interface Props extends Finder {
  label: string
  description?: string
  value: string[]
  onChange: (ids: string[]) => void
  error?: string | undefined
  isReadOnly?: boolean
  /** The most things that can be chosen. */
  maxValues?: number
  placeholder?: string | undefined
}

const SEARCH_DELAY_MS = 200
/** Each name is a request; further ones are shown as ids. */
const MOST_READ = 20
const KEPT_MS = 300_000

/** A field for any number of things, which the server searches. */
export function PickMany({ kind, value, onChange, isReadOnly = false, find, read, ...field }: Props) {
  const words = useWords('common')
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS)
  const [picked, setPicked] = useState<ReadonlyMap<string, string>>(new Map())
  const found = useQuery({
    queryKey: ['picked', kind, search],
    queryFn: ({ signal }) => find(search, signal),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  const offered = new Map((found.data ?? []).map(({ id, name }) => [id, name]))
  const unknown = found.isPending ? [] : value.filter((id) => !offered.has(id) && !picked.has(id))
  const names = useQueries({
    queries: unknown.slice(0, MOST_READ).map((id) => ({
      queryKey: ['picked', kind, 'one', id],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(id, signal),
      staleTime: KEPT_MS,
      retry: false,
    })),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data.name] as const]))),
  })
  const ids = [...new Set([...value, ...offered.keys()])]
  return (
    <MultiSelect
      {...field}
      {...markOptions(typed.trim() !== search || found.isPlaceholderData)}
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
    />
  )
}
