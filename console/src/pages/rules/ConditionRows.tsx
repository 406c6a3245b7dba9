import { ActionIcon, Button, Select } from '@mantine/core'
import { Icon } from '../../parts/Icon.tsx'
import { useWords } from '../../words/words.tsx'
import {
  type ConditionGroup,
  type ConditionRow,
  type ConditionRows,
  isGroup,
  listRows,
  MOST_NESTED,
} from './conditions.ts'
import { RowFields, startRow } from './RowFields.tsx'
import styles from './Rules.module.css'
import { type Content, writeVariable } from './signals.ts'

interface Props {
  label: string
  value: ConditionRows
  contents: readonly Content[]
  isReadOnly: boolean
  onChange: (value: ConditionRows) => void
  /** The number of groups around these rows. */
  depth?: number
}

/** The rows of a condition, and the groups within them. */
export function ConditionEditor({ label, value, contents, isReadOnly, onChange, depth = 0 }: Props) {
  const words = useWords('rules')
  const { join, rows } = value
  const signals = contents.filter(({ kind }) => kind === 'telemetry')
  const replace = (index: number, part: ConditionRow | ConditionGroup) =>
    onChange({ ...value, rows: rows.with(index, part) })
  const remove = (index: number) => onChange({ ...value, rows: rows.toSpliced(index, 1) })
  const makeRow = () => {
    const last = listRows(value).at(-1)?.variable
    return startRow(last ?? (signals[0] ? writeVariable(signals[0]) : ''), contents)
  }
  const add = (part: ConditionRow | ConditionGroup) => onChange({ ...value, rows: [...rows, part] })
  const shared = { contents, isReadOnly }
  return (
    <div className={styles.rows}>
      {rows.map((part, index) => (
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
              onChange={(next) => onChange({ ...value, join: next as ConditionRows['join'] })}
            />
          )}
          {isGroup(part) ? (
            <Group
              {...shared}
              label={words.groupOf(label, index + 1)}
              value={part}
              depth={depth + 1}
              onChange={(next) => replace(index, next)}
              onRemove={() => remove(index)}
            />
          ) : (
            <RowFields
              {...shared}
              row={part}
              name={words.rowOf(label, index + 1)}
              onChange={(next) => replace(index, next)}
              onRemove={() => remove(index)}
            />
          )}
        </div>
      ))}
      {!isReadOnly && (
        <div className={styles.tools}>
          <Button
            size="compact-sm"
            leftSection={<Icon name="plus" size={12} />}
            disabled={signals.length === 0}
            onClick={() => add(makeRow())}
          >
            {words.addRow}
          </Button>
          {/* Alone, a group would be the condition itself. */}
          {rows.length > 0 && depth < MOST_NESTED && (
            <Button
              size="compact-sm"
              leftSection={<Icon name="plus" size={12} />}
              disabled={signals.length === 0}
              onClick={() =>
                add({ join: join === 'and' ? 'or' : 'and', rows: [makeRow()], isNegated: false })
              }
            >
              {words.addGroup}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}

interface GroupProps extends Omit<Props, 'value' | 'onChange'> {
  value: ConditionGroup
  onChange: (value: ConditionGroup) => void
  onRemove: () => void
}

/** Rows in a frame, which hold together, or do not. */
function Group({ value, onChange, onRemove, ...props }: GroupProps) {
  const words = useWords('rules')
  const { label, isReadOnly } = props
  return (
    <div className={styles.group} role="group" aria-label={label}>
      <div className={styles.groupHead}>
        <Select
          className={styles.negation}
          aria-label={words.negationOf(label)}
          disabled={isReadOnly}
          data={[
            { value: 'no', label: words.holds },
            { value: 'yes', label: words.doesNotHold },
          ]}
          value={value.isNegated ? 'yes' : 'no'}
          onChange={(next) => onChange({ ...value, isNegated: next === 'yes' })}
        />
        <ActionIcon
          variant="subtle"
          aria-label={words.removeRow(label)}
          title={words.removeRow(label)}
          disabled={isReadOnly}
          onClick={onRemove}
        >
          <Icon name="close" />
        </ActionIcon>
      </div>
      <ConditionEditor
        {...props}
        value={value}
        onChange={(next) =>
          next.rows.length === 0 ? onRemove() : onChange({ ...next, isNegated: value.isNegated })
        }
      />
    </div>
  )
}
