import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Refusal } from '../../parts/Refusal.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import type { Named } from '../notifications/PickMany.tsx'

interface Props {
  /** Names the kind of thing in the cache, such as `releases`. */
  kind: string
  label: string
  description?: string
  /** '' for none. */
  value: string
  onChange: (id: string) => void
  error?: string | undefined
  isClearable?: boolean
  /** Finds things by a part of their name; all of them, cut, for ''. */
  find: (search: string, signal: AbortSignal) => Promise<Named[]>
  /** Reads one, for the name of a chosen thing that the search did not bring. */
  read: (id: string, signal: AbortSignal) => Promise<Named>
}

const SEARCH_DELAY_MS = 200

/** A field for one thing, which the server searches. */
export function PickOne({ kind, value, onChange, isClearable = false, find, read, ...field }: Props) {
  const words = useWords('firmware')
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS)
  const found = useQuery({
    queryKey: ['picked', kind, search],
    queryFn: ({ signal }) => find(search, withTimeout(signal)),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  const offered = found.data ?? []
  const isOffered = offered.some(({ id }) => id === value)
  const chosen = useQuery({
    queryKey: ['picked', kind, 'one', value],
    queryFn: ({ signal }) => read(value, withTimeout(signal)),
    enabled: value !== '' && !found.isPending && !isOffered,
    staleTime: 300_000,
    retry: false,
  })
  if (found.error !== null && found.data === undefined) return <Refusal error={found.error} />
  const options = [
    ...(value !== '' && !isOffered ? [{ value, label: chosen.data?.name ?? value }] : []),
    ...offered.map(({ id, name }) => ({ value: id, label: name })),
  ]
  return (
    <Select
      {...field}
      searchable
      clearable={isClearable}
      allowDeselect={isClearable}
      nothingFoundMessage={words.nothingFound}
      // The server has searched.
      filter={({ options: all }) => all}
      data={options}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      onSearchChange={(next) => setTyped(options.some(({ label }) => label === next) ? '' : next)}
    />
  )
}
