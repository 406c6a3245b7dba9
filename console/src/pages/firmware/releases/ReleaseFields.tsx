import { Button, Textarea, TextInput } from '@mantine/core'
import type { Form } from '../../../parts/form/use-form.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { useWords } from '../../../words/words.tsx'
import { PickMany } from '../../../parts/pick/PickMany.tsx'
import styles from '../Firmware.module.css'
import { readValue } from '../value-text.ts'
import { FileField } from './FileField.tsx'
import type { ReleaseValues } from './release.ts'
import { useObjectFinder } from '../../access/use-object-finder.ts'

interface Props {
  form: Form<ReleaseValues>
  /** Where an uploaded file is stored. */
  organizationId: string
  isFileMissing?: boolean
  isReadOnly?: boolean
  onUploading: (isUploading: boolean) => void
}

export function ReleaseFields({
  form,
  organizationId,
  isFileMissing = false,
  isReadOnly = false,
  onUploading,
}: Props) {
  const { release: words, name, description } = useWords('firmware')
  const { values, change } = form
  return (
    <div className={styles.fields}>
      <TextInput
        label={name}
        description={words.nameHint}
        autoComplete="off"
        readOnly={isReadOnly}
        {...form.field('displayName')}
      />
      <FileField
        organizationId={organizationId}
        fileResourceId={values.fileResourceId}
        fileName={values.fileName}
        isMissing={isFileMissing}
        isReadOnly={isReadOnly}
        onChange={change}
        onUploading={onUploading}
        error={form.problem('fileResourceId')}
      />
      {values.fileResourceId !== null && (
        <TextInput
          label={words.fileName}
          description={words.fileNameHint}
          autoComplete="off"
          readOnly={isReadOnly}
          {...form.field('fileName')}
        />
      )}
      <PickMany
        {...useObjectFinder('model')}
        label={words.models}
        description={words.modelsHint}
        value={values.startingModels}
        onChange={(startingModels) => change({ startingModels })}
        error={form.problem('startingModels')}
        isReadOnly={isReadOnly}
      />
      <ValueRows form={form} isReadOnly={isReadOnly} />
      <Textarea
        label={description}
        autosize
        minRows={1}
        readOnly={isReadOnly}
        {...form.field('description')}
      />
    </div>
  )
}

function ValueRows({ form, isReadOnly }: { form: Form<ReleaseValues>; isReadOnly: boolean }) {
  const { release: words, types, addRow, removeRow } = useWords('firmware')
  const { propertyValues: rows } = form.values
  const set = (propertyValues: ReleaseValues['propertyValues']) => form.change({ propertyValues })
  const replace = (index: number, changes: Partial<(typeof rows)[number]>) =>
    set(rows.map((row, at) => (at === index ? { ...row, ...changes } : row)))
  const problem = form.problem('propertyValues')
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{words.values}</legend>
      <p className={styles.quiet}>{words.valuesHint}</p>
      {rows.map(({ key, text }, index) => (
        // Rows have no ids of their own.
        <div key={index} className={styles.valueRow}>
          <TextInput
            aria-label={`${words.key} ${index + 1}`}
            placeholder={words.key}
            autoComplete="off"
            spellCheck={false}
            readOnly={isReadOnly}
            value={key}
            onChange={(event) => replace(index, { key: event.currentTarget.value })}
            error={form.problem(`propertyValues.${index}.key`)}
          />
          <TextInput
            aria-label={`${words.value} ${index + 1}`}
            placeholder={words.value}
            autoComplete="off"
            spellCheck={false}
            readOnly={isReadOnly}
            value={text}
            onChange={(event) => replace(index, { text: event.currentTarget.value })}
            error={form.problem(`propertyValues.${index}.value`)}
            rightSectionWidth={88}
            rightSection={<span className={styles.quiet}>{types[typeof readValue(text)]}</span>}
          />
          {!isReadOnly && (
            <Button
              aria-label={removeRow(key || `${words.value} ${index + 1}`)}
              onClick={() => set(rows.filter((_, at) => at !== index))}
            >
              <Icon name="close" />
            </Button>
          )}
        </div>
      ))}
      {problem !== undefined && <p className={styles.problem}>{problem}</p>}
      {!isReadOnly && (
        <Button
          className={styles.start}
          leftSection={<Icon name="plus" />}
          onClick={() => set([...rows, { key: '', text: '' }])}
        >
          {addRow}
        </Button>
      )}
    </fieldset>
  )
}
