import { ActionIcon, Button, Select } from '@mantine/core'
import { Icon } from '../../parts/Icon.tsx'
import { readSchema } from '../../parts/schema/schema.ts'
import { useWords } from '../../words/words.tsx'
import { writeUnit } from '../explore/use-units.ts'
import {
  type Comparison,
  comparisons,
  type ConditionRow,
  type ConditionRows,
  type Literal,
} from './conditions.ts'
import { LiteralField } from './LiteralField.tsx'
import styles from './Rules.module.css'
import { type Content, findContent, writeVariable } from './signals.ts'

interface Props {
  label: string
  value: ConditionRows
  contents: readonly Content[]
  isReadOnly: boolean
  onChange: (value: ConditionRows) => void
}

const offered: readonly Comparison[] = ['>', '>=', '<', '<=', '==', '!=']

/** The rows of a condition. */
export function ConditionEditor({ label, value, contents, isReadOnly, onChange }: Props) {
  const words = useWords('rules')
  const { join, rows } = value
  const signals = contents.filter(({ kind }) => kind === 'telemetry')
  const replace = (index: number, row: ConditionRow) => onChange({ join, rows: rows.with(index, row) })
  const add = () => {
    const variable = rows.at(-1)?.variable ?? (signals[0] ? writeVariable(signals[0]) : '')
    onChange({ join, rows: [...rows, startRow(variable, contents)] })
  }
  return (
    <div className={styles.rows}>
      {rows.map((row, index) => (
        // Rows have no identity of their own; their fields keep no state.
        <div key={index} className={styles.rowBlock}>
          {index > 0 && (
            <Select
              className={styles.join}
              aria-label={words.joinOf(label)}
              disabled={isReadOnly || index > 1}
              data={[
                { value: 'and', label: words.joins.and },
                { value: 'or', label: words.joins.or },
              ]}
              value={join}
              onChange={(next) => onChange({ join: next as ConditionRows['join'], rows })}
            />
          )}
          <Row
            row={row}
            name={words.rowOf(label, index + 1)}
            contents={contents}
            isReadOnly={isReadOnly}
            onChange={(next) => replace(index, next)}
            onRemove={() => onChange({ join, rows: rows.toSpliced(index, 1) })}
          />
        </div>
      ))}
      {!isReadOnly && (
        <Button
          className={styles.add}
          size="compact-sm"
          leftSection={<Icon name="plus" size={12} />}
          disabled={signals.length === 0}
          onClick={add}
        >
          {words.addRow}
        </Button>
      )}
    </div>
  )
}

function startRow(variable: string, contents: readonly Content[]): ConditionRow {
  const type = schemaOf(variable, contents)?.type
  const isNumber = type === undefined || ['double', 'float', 'integer', 'long'].includes(type)
  return {
    variable,
    comparison: isNumber ? '>' : '==',
    right: { kind: 'value', value: type === 'boolean' ? true : null },
  }
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

function Row({ row, name, contents, isReadOnly, onChange, onRemove }: RowProps) {
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
        onChange={(next) =>
          onChange({ ...startRow(next, contents), ...(right.kind === 'signal' && { right }) })
        }
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
