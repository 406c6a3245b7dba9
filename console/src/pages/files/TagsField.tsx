import { ActionIcon, Button, TextInput } from '@mantine/core'
import { Icon } from '../../parts/Icon.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Files.module.css'
import { findTagProblems, type TagRow } from './tag-rows.ts'

const MOST_TAGS = 50
const MOST_CHARACTERS = 128

interface Props {
  rows: TagRow[]
  onChange: (rows: TagRow[]) => void
  isReadOnly?: boolean
}

/** Tags as rows of a key and a value. */
export function TagsField({ rows, onChange, isReadOnly = false }: Props) {
  const words = useWords('files')
  const problems = findTagProblems(rows)
  const change = (index: number, changes: Partial<TagRow>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...changes } : row)))
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{words.tags}</legend>
      <p className={styles.quiet}>{words.tagsHint}</p>
      {rows.map((row, index) => (
        <div key={index} className={styles.tagRow}>
          <TextInput
            aria-label={words.tagKey(index + 1)}
            placeholder={words.key}
            autoComplete="off"
            maxLength={MOST_CHARACTERS}
            readOnly={isReadOnly}
            value={row.key}
            error={problems[index] && words.tagProblems[problems[index]]}
            onChange={(event) => change(index, { key: event.currentTarget.value })}
          />
          <TextInput
            aria-label={words.tagValue(index + 1)}
            placeholder={words.value}
            autoComplete="off"
            maxLength={MOST_CHARACTERS}
            readOnly={isReadOnly}
            value={row.value}
            onChange={(event) => change(index, { value: event.currentTarget.value })}
          />
          {!isReadOnly && (
            <ActionIcon
              variant="subtle"
              aria-label={words.removeTag(index + 1)}
              title={words.removeTag(index + 1)}
              onClick={() => onChange(rows.filter((_, at) => at !== index))}
            >
              <Icon name="close" />
            </ActionIcon>
          )}
        </div>
      ))}
      {!isReadOnly && (
        <div>
          <Button
            leftSection={<Icon name="plus" />}
            disabled={rows.length >= MOST_TAGS}
            onClick={() => onChange([...rows, { key: '', value: '' }])}
          >
            {words.addTag}
          </Button>
        </div>
      )}
    </fieldset>
  )
}
