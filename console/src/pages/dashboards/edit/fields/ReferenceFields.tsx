import { Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../../api/ApiProvider.tsx'
import { useWords } from '../../../../words/words.tsx'
import { withTimeout } from '../../../devices/timeout.ts'
import type { FieldProps } from './field.ts'

const OFFERED = 200

/** A floor plan; without one a map shows the world. */
export function PlanField(props: FieldProps) {
  const words = useWords('dashboardEditor')
  return <PictureField {...props} absent={words.worldMap} />
}

/**
 * A picture of the shared resources.
 * @param props.absent what is shown without one; absent if there has to be one
 */
function PictureField({ options, onChange, absent }: FieldProps & { absent?: string }) {
  const words = useWords('dashboardEditor')
  const api = useApi()
  const { data = [] } = useQuery({
    queryKey: ['offered-resources'],
    queryFn: ({ signal }) =>
      api.get('/v1/resources', { query: { limit: OFFERED }, signal: withTimeout(signal) }),
    staleTime: 30_000,
  })
  return (
    <ReferenceSelect
      label={words.picture}
      options={data.map(({ id, displayName }) => ({ value: id, label: displayName }))}
      value={options.resourceId}
      onChange={(resourceId) => onChange({ resourceId })}
      absent={absent}
    />
  )
}

/** A picture with its size and its text. */
export function ResourceField(props: FieldProps) {
  const words = useWords('dashboardEditor')
  const { options, onChange } = props
  return (
    <>
      <PictureField {...props} />
      <Select
        label={words.fit}
        data={[
          { value: 'contain', label: words.fits.contain },
          { value: 'cover', label: words.fits.cover },
        ]}
        value={options.fit === 'cover' ? 'cover' : 'contain'}
        onChange={(fit) => onChange({ fit: fit === 'cover' ? 'cover' : undefined })}
      />
      <TextInput
        label={words.alt}
        autoComplete="off"
        maxLength={256}
        value={typeof options.alt === 'string' ? options.alt : ''}
        onChange={(event) => onChange({ alt: event.currentTarget.value || undefined })}
      />
    </>
  )
}

export function DashboardField({ options, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  const api = useApi()
  const { data = [] } = useQuery({
    queryKey: ['offered-dashboards'],
    queryFn: ({ signal }) =>
      api.get('/v1/dashboards', { query: { limit: OFFERED }, signal: withTimeout(signal) }),
    staleTime: 30_000,
  })
  return (
    <ReferenceSelect
      label={words.dashboard}
      options={data.map(({ id, displayName }) => ({ value: id, label: displayName }))}
      value={options.dashboardId}
      onChange={(dashboardId) => onChange({ dashboardId })}
    />
  )
}

interface SelectProps {
  label: string
  options: { value: string; label: string }[]
  value: unknown
  onChange: (id: string | undefined) => void
  /** What an empty field means; absent if something has to be chosen. */
  absent?: string | undefined
}

function ReferenceSelect({ label, options, value, onChange, absent }: SelectProps) {
  const words = useWords('dashboardEditor')
  const id = typeof value === 'string' ? value : null
  const isKnown = id === null || options.some((option) => option.value === id)
  return (
    <Select
      label={label}
      searchable
      clearable={absent !== undefined}
      placeholder={absent ?? words.choose}
      data={isKnown ? options : [...options, { value: id!, label: id! }]}
      value={id}
      onChange={(chosen) => (chosen !== null || absent !== undefined) && onChange(chosen ?? undefined)}
    />
  )
}
