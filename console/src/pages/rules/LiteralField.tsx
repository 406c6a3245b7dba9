import { Select, TextInput } from '@mantine/core'
import { NumberField } from '../../parts/number/NumberField.tsx'
import type { DataSchema } from '../../parts/schema/schema.ts'
import { useWords } from '../../words/words.tsx'
import type { Literal } from './conditions.ts'

interface Props {
  label: string
  value: Literal
  /** Undefined if it is not known, as for a place within a value. */
  schema: DataSchema | undefined
  unit: string | undefined
  isReadOnly: boolean
  onChange: (value: Literal) => void
}

const numeric = ['double', 'float', 'integer', 'long']

/** A field for a value of the type that it has, or that the signal has while there is none. */
export function LiteralField({ label, value, schema, unit, isReadOnly, onChange }: Props) {
  const words = useWords('rules')
  const type = schema?.type ?? 'double'
  if (typeof value === 'boolean' || (value === null && type === 'boolean'))
    return (
      <Select
        aria-label={label}
        disabled={isReadOnly}
        data={[
          { value: 'true', label: words.yes },
          { value: 'false', label: words.no },
        ]}
        value={value === null ? null : String(value)}
        onChange={(next) => onChange(next === 'true')}
      />
    )
  if (schema?.type === 'enum' && (value === null || schema.values.some((option) => option.value === value)))
    return (
      <Select
        aria-label={label}
        disabled={isReadOnly}
        data={schema.values.map((option) => ({ value: String(option.value), label: option.name }))}
        value={value === null ? null : String(value)}
        onChange={(next) =>
          onChange(schema.values.find((option) => String(option.value) === next)?.value ?? null)
        }
      />
    )
  if (typeof value === 'number' || (value === null && numeric.includes(type)))
    return (
      <NumberField
        aria-label={label}
        placeholder={words.valuePlaceholder}
        readOnly={isReadOnly}
        suffix={unit === undefined ? undefined : ` ${unit}`}
        hideControls
        decimalScale={12}
        value={value}
        onChange={onChange}
      />
    )
  return (
    <TextInput
      aria-label={label}
      placeholder={words.valuePlaceholder}
      readOnly={isReadOnly}
      autoComplete="off"
      spellCheck={false}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
