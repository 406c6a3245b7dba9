import { ActionIcon, Select } from '@mantine/core'
import { Icon } from '../../parts/Icon.tsx'
import { readSchema } from '../../parts/schema/schema.ts'
import { useWords } from '../../words/words.tsx'
import { writeUnit } from '../explore/use-units.ts'
import { type Comparison, comparisons, type ConditionRow, type Literal } from './conditions.ts'
import { LiteralField } from './LiteralField.tsx'
import styles from './Rules.module.css'
import { type Content, findContent, writeVariable } from './signals.ts'

const offered: readonly Comparison[] = ['>', '>=', '<', '<=', '==', '!=']

const numbers: ReadonlySet<string> = new Set(['double', 'float', 'integer', 'long'])

/** A row that compares a signal in the way that suits its type. */
export function startRow(variable: string, contents: readonly Content[]): ConditionRow {
  const type = schemaOf(variable, contents)?.type
  const isNumber = type === undefined || numbers.has(type)
  return {
    variable,
    comparison: isNumber ? '>' : '==',
    right: { kind: 'value', value: type === 'boolean' ? true : null },
  }
}

/** A row of another signal. What was typed stays where the values of both are alike. */
function changeSignal(row: ConditionRow, variable: string, contents: readonly Content[]): ConditionRow {
  const [before, after] = [row.variable, variable].map((one) => schemaOf(one, contents)?.type)
  const areNumbers = [before, after].every((type) => type !== undefined && numbers.has(type))
  if (areNumbers || (before === after && before !== 'enum')) return { ...row, variable }
  return { ...startRow(variable, contents), ...(row.right.kind === 'signal' && { right: row.right }) }
}

function schemaOf(variable: string, contents: readonly Content[]) {
  const content = findContent(variable, contents) as (Content & { schema?: unknown }) | undefined
  return content?.schema === undefined || writeVariable(content) !== variable
    ? undefined
    : readSchema(content.schema)
}

interface RowProps {
  row: ConditionRow
  name: string
  contents: readonly Content[]
  isReadOnly: boolean
  onChange: (row: ConditionRow) => void
  onRemove: () => void
}

/** A comparison of a signal with a value or with another signal. */
export function RowFields({ row, name, contents, isReadOnly, onChange, onRemove }: RowProps) {
  const words = useWords('rules')
  const { variable, comparison, right } = row
  const names = contents.filter(({ kind }) => kind === 'telemetry').map(writeVariable)
  const unit = findContent(variable, contents)?.unit
  const shown = comparisons.filter((one) => offered.includes(one) || one === comparison)
  const set = (value: Literal) => onChange({ ...row, right: { kind: 'value', value } })
  return (
    <div className={styles.row} role="group" aria-label={name}>
      <SignalSelect
        label={words.signal}
        names={names}
        value={variable}
        isReadOnly={isReadOnly}
        onChange={(next) => onChange(changeSignal(row, next, contents))}
      />
      <Select
        aria-label={words.comparison}
        disabled={isReadOnly}
        data={shown.map((value) => ({ value, label: words.comparisons[value] }))}
        value={comparison}
        onChange={(next) => onChange({ ...row, comparison: next as Comparison })}
      />
      {right.kind === 'value' ? (
        <LiteralField
          label={words.value}
          value={right.value}
          schema={schemaOf(variable, contents)}
          unit={unit ? writeUnit(unit) : undefined}
          isReadOnly={isReadOnly}
          onChange={set}
        />
      ) : (
        <SignalSelect
          label={words.otherSignal}
          names={names}
          value={right.variable}
          isReadOnly={isReadOnly}
          onChange={(next) => onChange({ ...row, right: { kind: 'signal', variable: next } })}
        />
      )}
      <Select
        aria-label={words.comparedWith}
        disabled={isReadOnly}
        data={[
          { value: 'value', label: words.withValue },
          { value: 'signal', label: words.withSignal },
        ]}
        value={right.kind}
        onChange={(kind) =>
          onChange({
            ...row,
            right:
              kind === 'value'
                ? startRow(variable, contents).right
                : { kind: 'signal', variable: names.find((other) => other !== variable) ?? '' },
          })
        }
      />
      <ActionIcon
        variant="subtle"
        aria-label={words.removeRow(name)}
        title={words.removeRow(name)}
        disabled={isReadOnly}
        onClick={onRemove}
      >
        <Icon name="close" />
      </ActionIcon>
    </div>
  )
}

function SignalSelect(props: {
  label: string
  names: string[]
  value: string
  isReadOnly: boolean
  onChange: (variable: string) => void
}) {
  const { names, value } = props
  const options = names.includes(value) || value === '' ? names : [...names, value]
  return (
    <Select
      aria-label={props.label}
      placeholder={props.label}
      searchable
      disabled={props.isReadOnly}
      data={[...new Set(options)]}
      value={value === '' ? null : value}
      onChange={(next) => next !== null && props.onChange(next)}
    />
  )
}
