import { NumberInput, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useLanguage, useWords } from '../../words/words.tsx'
import { JsonEditor } from '../code-editor/JsonEditor.tsx'
import { type DataSchema, isObject, localText, type SchemaProblems } from './schema.ts'
import styles from './SchemaForm.module.css'

interface Props {
  label: string
  unit: string | null
  schema: DataSchema
  /** Undefined for no value. */
  value: unknown
  path: string
  problems: SchemaProblems
  onChange: (value: unknown) => void
}

/** The field of one data type, or the fields of an object. */
export function SchemaInput(props: Props) {
  const { schema, label, unit, value, path, problems, onChange } = props
  const words = useWords('schema')
  const problem = problems[path]
  const shared = {
    label: unit === null ? label : `${label} (${unit})`,
    error: value !== undefined && problem !== undefined ? words.problems[problem] : undefined,
    description: words.types[schema.type === 'other' ? schema.name : schema.type],
  }
  switch (schema.type) {
    case 'object':
      return <ObjectInput {...props} fields={schema.fields} />
    case 'enum':
      return <EnumInput {...props} shared={shared} options={schema.values} />
    case 'boolean':
      return (
        <Select
          {...shared}
          data={[
            { value: '', label: words.none },
            { value: 'true', label: words.yes },
            { value: 'false', label: words.no },
          ]}
          value={value === undefined ? '' : String(value)}
          onChange={(chosen) => onChange(chosen === '' || chosen === null ? undefined : chosen === 'true')}
        />
      )
    case 'integer':
    case 'long':
    case 'double':
    case 'float':
      return <NumberField {...props} shared={shared} />
    case 'array':
    case 'map':
    case 'other':
      return <RawInput {...props} description={shared.description} />
    default:
      return (
        <TextInput
          {...shared}
          autoComplete="off"
          value={typeof value === 'string' ? value : ''}
          onChange={(event) =>
            onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)
          }
        />
      )
  }
}

interface Shared {
  label: string
  error: string | undefined
  description: string | undefined
}

/** Incomplete input, such as `1.` or `-`, is not changed while the user types. */
function NumberField({ value, onChange, shared }: Props & { shared: Shared }) {
  const [typed, setTyped] = useState<number | string>('')
  const isTyped = typed !== '' && Number(typed) === value
  return (
    <NumberInput
      {...shared}
      hideControls
      clampBehavior="none"
      value={isTyped ? typed : typeof value === 'number' || typeof value === 'string' ? value : ''}
      onChange={(next) => {
        setTyped(next)
        onChange(next === '' ? undefined : Number.isFinite(Number(next)) ? Number(next) : next)
      }}
    />
  )
}

type ObjectFields = Extract<DataSchema, { type: 'object' }>['fields']

function ObjectInput({ fields, label, value, path, problems, onChange }: Props & { fields: ObjectFields }) {
  const language = useLanguage()
  const present = isObject(value) ? value : {}
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...others } = present
    const changed = next === undefined ? others : { ...present, [name]: next }
    onChange(Object.keys(changed).length === 0 ? undefined : changed)
  }
  return (
    <fieldset className={styles.object}>
      <legend>{label}</legend>
      {fields.map(({ name, displayName, unit, schema }) => (
        <SchemaInput
          key={name}
          label={localText(displayName, language) ?? name}
          unit={unit}
          schema={schema}
          value={Object.hasOwn(present, name) ? present[name] : undefined}
          path={`${path}.${name}`}
          problems={problems}
          onChange={(next) => set(name, next)}
        />
      ))}
    </fieldset>
  )
}

type Options = Extract<DataSchema, { type: 'enum' }>['values']

function EnumInput({ options, value, onChange, shared }: Props & { options: Options; shared: Shared }) {
  const words = useWords('schema')
  const language = useLanguage()
  return (
    <Select
      {...shared}
      data={[
        { value: '', label: words.none },
        ...options.map((option) => ({
          value: JSON.stringify(option.value),
          label: localText(option.displayName, language) ?? option.name,
        })),
      ]}
      value={value === undefined ? '' : JSON.stringify(value)}
      onChange={(chosen) => onChange(chosen === '' || chosen === null ? undefined : JSON.parse(chosen))}
    />
  )
}

/** Edits lists, maps and geometries as JSON. */
function RawInput({
  label,
  value,
  path,
  problems,
  onChange,
  description,
}: Props & { description: string | undefined }) {
  const words = useWords('schema')
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2))
  const [isWrong, setWrong] = useState(false)
  const inside = Object.entries(problems).find(([place]) => place === path || place.startsWith(`${path}[`))
  const change = (next: string) => {
    setText(next)
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next))
      setWrong(false)
    } catch {
      setWrong(true)
    }
  }
  return (
    <div>
      <p className={styles.label}>{label}</p>
      <div className={styles.editor}>
        <JsonEditor label={label} value={text} onChange={change} />
      </div>
      <p className={isWrong || inside !== undefined ? styles.problem : styles.note}>
        {isWrong ? words.notJson : inside !== undefined ? words.problems[inside[1]] : description}
      </p>
    </div>
  )
}
