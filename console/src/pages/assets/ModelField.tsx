import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { Notice } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Assets.module.css'

const MOST = 50
const SEARCH_DELAY_MS = 200

interface Props {
  value: string
  onChange: (modelId: string) => void
  error: string | undefined
}

/** Select field of a model; the server searches, since there may be any number of models. */
export function ModelField({ value, onChange, error }: Props) {
  const words = useWords('assets')
  const api = useApi()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS)
  const models = useQuery({
    queryKey: ['models', 'found', search],
    queryFn: ({ signal }) =>
      api.get('/v1/models', {
        query: { limit: MOST, search: search || undefined },
        signal: withTimeout(signal),
      }),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  })
  if (models.error !== null) return <Refusal error={models.error} />
  if (models.data?.length === 0 && search === '')
    return (
      <Notice kind="info">
        {words.noModel}{' '}
        <PageAnchor link={links.models()} className={styles.inText}>
          {words.toModels}
        </PageAnchor>
      </Notice>
    )
  const found = (models.data ?? []).map(({ id, displayName }) => ({ value: id, label: displayName }))
  // The chosen model may be none of those that were found.
  const options =
    value === '' || found.some((option) => option.value === value)
      ? found
      : [{ value, label: value }, ...found]
  return (
    <Select
      label={words.model}
      description={words.modelHint}
      searchable
      nothingFoundMessage={words.nothingFound}
      // The options are not filtered again, since the server has searched names and ids.
      filter={({ options: offered }) => offered}
      data={options}
      value={value === '' ? null : value}
      onChange={(id) => id !== null && onChange(id)}
      onSearchChange={(text) => setTyped(options.some(({ label }) => label === text) ? '' : text)}
      error={error}
    />
  )
}
