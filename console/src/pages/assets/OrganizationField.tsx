import { Select } from '@mantine/core'
import { useWords } from '../../words/words.tsx'
import { useOrganizations } from './use-organizations.ts'

interface Props {
  value: string
  onChange: (organizationId: string) => void
  error: string | undefined
}

/** Select field of the organization of a new thing, by default the first one. It is hidden if there is only one. */
export function OrganizationField({ value, onChange, error }: Props) {
  const words = useWords('assets')
  const { data = [] } = useOrganizations()
  if (data.length < 2 && error === undefined) return null
  return (
    <Select
      label={words.organization}
      description={words.organizationHint}
      searchable
      data={data.map(({ id, displayName }) => ({ value: id, label: displayName }))}
      value={value === '' ? (data[0]?.id ?? null) : value}
      onChange={(id) => id !== null && onChange(id)}
      error={error}
    />
  )
}
