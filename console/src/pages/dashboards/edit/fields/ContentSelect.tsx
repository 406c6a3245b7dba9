import { Select, TextInput } from '@mantine/core'
import { useWords } from '../../../../words/words.tsx'
import { contentKey } from '../../../assets/contents.ts'
import type { Variable } from '../../board/board.ts'
import { listAssets } from '../../board/signals.ts'
import { useAssetModel } from '../../widgets/use-asset-model.ts'

interface Named {
  name: string
  componentId: string | null
}

interface Props {
  kind: 'command' | 'property'
  label: string
  options: Record<string, unknown>
  variables: Variable[]
  value: Named
  onChange: (content: Named) => void
}

/** Select field of a command or a writable property of the model; without a model its name is typed. */
export function ContentSelect({ kind, label, options, variables, value, onChange }: Props) {
  const words = useWords('dashboardEditor')
  const bindings = Object.fromEntries(
    variables.map((variable) => [variable.name, variable.kind === 'node' ? [] : variable.value]),
  )
  const [assetId] = listAssets(options, bindings)
  const { contents } = useAssetModel(assetId)
  const offered = contents.filter(
    (content) => content.kind === kind && (kind === 'command' || content.writable),
  )
  if (offered.length === 0)
    return (
      <TextInput
        label={label}
        autoComplete="off"
        maxLength={256}
        value={value.name}
        onChange={(event) => onChange({ name: event.currentTarget.value, componentId: value.componentId })}
      />
    )
  const known = offered.map((content) => ({
    value: contentKey(content),
    label: content.componentId === null ? content.name : `${content.componentId} · ${content.name}`,
  }))
  const chosen = contentKey(value)
  const isKnown = value.name === '' || known.some((option) => option.value === chosen)
  return (
    <Select
      label={label}
      searchable
      placeholder={words.choose}
      data={isKnown ? known : [...known, { value: chosen, label: value.name }]}
      value={value.name === '' ? null : chosen}
      onChange={(key) => {
        const found = offered.find((content) => contentKey(content) === key)
        if (found) onChange({ name: found.name, componentId: found.componentId })
      }}
    />
  )
}
