import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { useObjectName } from './ObjectName.tsx'
import { type ListedType, listObjects } from './objects.ts'

interface Props {
  type: ListedType
  label: string
  value: string
  onChange: (id: string) => void
  error?: string | undefined
}

const OFFERED = 50
const SEARCH_DELAY_MS = 200

/** A field for one object of a type, which the server searches by name. */
export function PickObject({ type, label, value, onChange, error }: Props) {
  const words = useWords('access')
  const api = useApi()
  const [typed, setTyped] = useState('')
  const chosen = useObjectName({ type, id: value })
  const chosenName = value === '' ? '' : (chosen.data?.name ?? value)
  const [search] = useDebouncedValue(typed === chosenName ? '' : typed, SEARCH_DELAY_MS)
  const found = useQuery({
    queryKey: ['objects', type, search],
    queryFn: ({ signal }) => listObjects(api, type, { search, limit: OFFERED, signal: withTimeout(signal) }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  const offered = (found.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const isOffered = value === '' || offered.some((option) => option.value === value)
  return (
    <Select
      label={label}
      placeholder={words.give.choose}
      searchable
      nothingFoundMessage={words.give.nothingFound}
      // The server has searched.
      filter={({ options }) => options}
      data={isOffered ? offered : [{ value, label: chosenName }, ...offered]}
      searchValue={typed}
      onSearchChange={setTyped}
      value={value === '' ? null : value}
      onChange={(id) => id !== null && onChange(id)}
      error={error}
    />
  )
}
