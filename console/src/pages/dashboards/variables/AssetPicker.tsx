import { MultiSelect, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { MOST_ASSETS } from './use-bindings.ts'

interface Props {
  label: string
  value: string[]
  onChange: (ids: string[]) => void
  isSeveral?: boolean
  /** Offers assets of this model alone. */
  modelId?: string | undefined
}

const OFFERED = 30
const SEARCH_DELAY_MS = 200

/** Select field of one asset or several, which are searched on the server. */
export function AssetPicker({ label, value, onChange, isSeveral = false, modelId }: Props) {
  const words = useWords('dashboards')
  const api = useApi()
  const [search, setSearch] = useState('')
  const names = useRef(new Map<string, string>())
  const write = (id: string) => {
    const name = names.current.get(id)
    return name === undefined || name === id ? id : `${name} (${id})`
  }
  // A closed field has the label of its value as its search.
  const isValue = value.some((id) => write(id) === search || id === search)
  const [wanted] = useDebouncedValue(isValue ? '' : search.trim(), SEARCH_DELAY_MS)
  const { data = [] } = useQuery({
    queryKey: ['offered-assets', wanted, modelId],
    queryFn: ({ signal }) =>
      api.get('/v1/assets', {
        query: { limit: OFFERED, search: wanted || undefined, modelId },
        signal: withTimeout(signal),
      }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  for (const { id, displayName } of data) names.current.set(id, displayName)
  const ids = new Set([...value, ...data.map(({ id }) => id)])
  const options = [...ids].map((id) => ({ value: id, label: write(id) }))
  const shared = {
    label,
    data: options,
    searchable: true,
    onSearchChange: setSearch,
    nothingFoundMessage: words.nothingFound,
    placeholder: value.length === 0 ? words.chooseAsset : '',
    filter: ({ options: all }: { options: unknown[] }) => all as never,
  }
  if (isSeveral) return <MultiSelect {...shared} value={value} maxValues={MOST_ASSETS} onChange={onChange} />
  return <Select {...shared} value={value[0] ?? null} onChange={(id) => id !== null && onChange([id])} />
}
