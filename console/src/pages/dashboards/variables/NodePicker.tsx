import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'

interface Props {
  label: string
  value: string | null
  onChange: (nodeId: string) => void
}

const OFFERED = 200

/** Select field of a node of the tree. */
export function NodePicker({ label, value, onChange }: Props) {
  const words = useWords('dashboards')
  const api = useApi()
  const { data = [] } = useQuery({
    queryKey: ['offered-nodes'],
    queryFn: ({ signal }) =>
      api.get('/v1/tree/nodes', { query: { limit: OFFERED }, signal: withTimeout(signal) }),
    staleTime: 60_000,
  })
  const options = data.map(({ id, displayName }) => ({ value: id, label: displayName }))
  const isListed = value === null || options.some((option) => option.value === value)
  return (
    <Select
      label={label}
      searchable
      data={isListed ? options : [...options, { value: value!, label: value! }]}
      value={value}
      nothingFoundMessage={words.nothingFound}
      placeholder={words.chooseNode}
      onChange={(id) => id !== null && onChange(id)}
    />
  )
}
