import { TextInput } from '@mantine/core'
import { useWords } from '../../../../words/words.tsx'
import { ContentSelect } from './ContentSelect.tsx'
import type { FieldProps } from './field.ts'

/** The writable property that an input sets. */
export function PropertyField({ options, onChange, variables }: FieldProps) {
  const words = useWords('dashboardEditor')
  return (
    <>
      <ContentSelect
        kind="property"
        label={words.property}
        options={options}
        variables={variables}
        value={{ name: String(options.name ?? ''), componentId: (options.componentId as string) ?? null }}
        onChange={({ name, componentId }) => onChange({ name, componentId: componentId ?? undefined })}
      />
      <TextInput
        label={words.label}
        autoComplete="off"
        maxLength={256}
        value={typeof options.label === 'string' ? options.label : ''}
        onChange={(event) => onChange({ label: event.currentTarget.value || undefined })}
      />
    </>
  )
}
