import { Select } from '@mantine/core'
import { useWords } from '../../../../words/words.tsx'
import type { Variable } from '../../board/board.ts'
import { AssetPicker } from '../../variables/AssetPicker.tsx'
import type { FieldProps } from './field.ts'

/** The asset that a widget names, or a variable. */
export function AssetField({ options, variables, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  return (
    <>
      <VariableField options={options} variables={variables} onChange={onChange} />
      {options.variable === undefined && (
        <AssetPicker
          label={words.asset}
          value={typeof options.assetId === 'string' ? [options.assetId] : []}
          onChange={([assetId]) => onChange({ assetId })}
        />
      )}
    </>
  )
}

/** The assets of an alarm list; none means all. */
export function AssetsField({ options, variables, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  return (
    <>
      <VariableField options={options} variables={variables} onChange={onChange} />
      {options.variable === undefined && (
        <AssetPicker
          label={words.assetsOrAll}
          isSeveral
          value={Array.isArray(options.assetIds) ? options.assetIds : []}
          onChange={(assetIds) => onChange({ assetIds: assetIds.length === 0 ? undefined : assetIds })}
        />
      )}
    </>
  )
}

function VariableField({ options, variables, onChange }: FieldProps) {
  const words = useWords('dashboardEditor')
  if (variables.length === 0) return null
  return (
    <Select
      label={words.from}
      data={[{ value: '', label: words.fixedAsset }, ...listVariables(variables, words.variable)]}
      value={typeof options.variable === 'string' ? options.variable : ''}
      onChange={(variable) =>
        onChange(variable ? { variable, assetId: undefined, assetIds: undefined } : { variable: undefined })
      }
    />
  )
}

export const listVariables = (variables: Variable[], write: (name: string) => string) =>
  variables.map(({ name, label }) => ({ value: name, label: write(label ?? name) }))
