import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useWords } from '../../words/words.tsx'
import { markOptions } from '../outdated-list.ts'
import { Refusal } from '../Refusal.tsx'
import type { Finder, Named } from './finder.ts'

interface Props extends Finder {
  label: string
  description?: string
  /** '' for none. */
  value: string
  onChange: (id: string) => void
  error?: string | undefined
  isClearable?: boolean
  isDisabled?: boolean
  placeholder?: string | undefined
  /** In the place of the field, if there is nothing to choose. */
  whenNone?: ReactNode
}

const SEARCH_DELAY_MS = 200

/** A field for one thing, which the server searches. */
export function PickOne({
  kind,
  value,
  onChange,
  isClearable = false,
  isDisabled = false,
  find,
  read,
  whenNone,
  ...field
}: Props) {
  const words = useWords('common')
  const [typed, setTyped] = useState('')
  // The id of the chosen thing while somebody types beside it: a name that is read now would replace the text.
  const [unnamed, setUnnamed] = useState('')
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS)
  const found = useQuery({
    queryKey: ['picked', kind, search],
    queryFn: ({ signal }) => find(search, signal),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  const offered = found.data ?? []
  const listed = offered.find(({ id }) => id === value)
  const [named, setNamed] = useState<Named>()
  const known = listed ?? (named?.id === value ? named : undefined)
  const chosen = useQuery({
    queryKey: ['picked', kind, 'one', value],
    queryFn: ({ signal }) => read(value, signal),
    enabled: value !== '' && !found.isPending && known === undefined,
    staleTime: 300_000,
    retry: false,
  })
  const present = known ?? (chosen.data?.id === value ? chosen.data : undefined)
  // The name of the chosen item is kept, since losing it would clear the text that the user types.
  if (present !== undefined && present !== named) setNamed(present)
  if (found.error !== null && found.data === undefined) return <Refusal error={found.error} />
  if (whenNone !== undefined && search === '' && found.data?.length === 0) return whenNone
  const shown = value === unnamed ? value : (present?.name ?? value)
  const options = offered.map(({ id, name }) => ({ value: id, label: id === value ? shown : name }))
  const isListed = value === '' || listed !== undefined
  if (!isListed) options.unshift({ value, label: shown })
  return (
    <Select
      {...field}
      {...markOptions(typed.trim() !== search || found.isPlaceholderData)}
      searchable
      clearable={isClearable}
      disabled={isDisabled}
      allowDeselect={isClearable}
      nothingFoundMessage={words.nothingFound}
      // The server has searched. What is chosen is listed so that the field knows its name, not as if it were found.
      filter={({ options: all }) => (search === '' ? all : all.slice(isListed ? 0 : 1))}
      data={options}
      value={value === '' ? null : value}
      onChange={(id) => onChange(id ?? '')}
      onSearchChange={(next) => {
        // The name of the chosen thing stands in the field until somebody types.
        const isTyped = next !== shown
        setTyped(isTyped ? next : '')
        if (!isTyped) setUnnamed('')
        else if (present === undefined) setUnnamed(value)
      }}
    />
  )
}
