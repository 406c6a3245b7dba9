import { MultiSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { useWords } from '../../words/words.tsx'
import { useAssetsOf } from './use-assets.ts'

const SEARCH_DELAY_MS = 200

interface Props {
  modelId: string
  value: string[]
  onChange: (assetIds: string[]) => void
  error: string | undefined
  isReadOnly: boolean
}

/** The assets that a rule watches; none chosen means all of the model. */
export function AssetsField({ modelId, value, onChange, error, isReadOnly }: Props) {
  const words = useWords('rules')
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), SEARCH_DELAY_MS)
  const [names, setNames] = useState<Record<string, string>>({})
  const { assets } = useAssetsOf(modelId, search)
  const labels = { ...names, ...Object.fromEntries(assets.map(({ id, displayName }) => [id, displayName])) }
  const ids = [...new Set([...value, ...assets.map(({ id }) => id)])]
  return (
    <MultiSelect
      label={words.assets}
      description={words.assetsHint}
      placeholder={value.length === 0 ? words.allAssets : undefined}
      searchable
      readOnly={isReadOnly}
      disabled={modelId === ''}
      nothingFoundMessage={words.noAssetFound}
      comboboxProps={{ transitionProps: { duration: 0 } }}
      // The server has searched names and ids.
      filter={({ options }) => options}
      data={ids.map((id) => ({ value: id, label: labels[id] ?? id }))}
      searchValue={typed}
      onSearchChange={setTyped}
      value={value}
      onChange={(next) => {
        setNames(labels)
        onChange(next)
      }}
      error={error}
    />
  )
}
