import { ActionIcon, Autocomplete, Button, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useLatestValues } from '../../live/use-latest-values.ts'
import { Icon } from '../../parts/Icon.tsx'
import { useWords } from '../../words/words.tsx'
import type { Kind, Source } from './binding.ts'
import styles from './Bindings.module.css'
import { SourcePicker } from './SourcePicker.tsx'

interface Props {
  kind: Kind
  sources: Source[]
  /** Problems by the index of the source. */
  problems: Record<number, string[]>
  isReadOnly: boolean
  onChange: (sources: Source[]) => void
}

const MOST_SOURCES = 32

/** The sources of a binding, each with its name in the transform. */
export function SourceFields({ kind, sources, problems, isReadOnly, onChange }: Props) {
  const words = useWords('bindings')
  const isSending = kind === 'command'
  const set = (index: number, changes: Partial<Source>) =>
    onChange(sources.map((source, place) => (place === index ? { ...source, ...changes } : source)))
  const add = () =>
    onChange([
      ...sources,
      { ...sources.at(-1)!, name: freeName(sources), instanceId: sources.at(-1)?.instanceId ?? '' },
    ])
  return (
    <section className={styles.block} aria-label={words.sources}>
      <h2 className={styles.subtitle}>{isSending ? words.targets : words.sources}</h2>
      <p className={styles.quiet}>{isSending ? words.targetsText : words.sourcesText}</p>
      {sources.map((source, index) => (
        <SourceRow
          key={index}
          kind={kind}
          source={source}
          problems={problems[index] ?? []}
          isReadOnly={isReadOnly}
          onChange={(changes) => set(index, changes)}
          onRemove={
            sources.length > 1
              ? () => onChange(sources.filter((_source, place) => place !== index))
              : undefined
          }
        />
      ))}
      {!isReadOnly && !isSending && sources.length < MOST_SOURCES && (
        <div>
          <Button size="xs" leftSection={<Icon name="plus" size={14} />} onClick={add}>
            {words.addSource}
          </Button>
        </div>
      )}
    </section>
  )
}

interface RowProps {
  kind: Kind
  source: Source
  problems: string[]
  isReadOnly: boolean
  onChange: (changes: Partial<Source>) => void
  onRemove: (() => void) | undefined
}

function SourceRow({ kind, source, problems, isReadOnly, onChange, onRemove }: RowProps) {
  const words = useWords('bindings')
  const [signals, setSignals] = useState<string[]>([])
  // Watching an instance costs a request, so it starts only when the field of the signal gets the focus.
  const [watched, setWatched] = useState('')
  const [problem] = problems
  return (
    <div className={styles.source} role="group" aria-label={words.sourceOf(source.name)}>
      <SourcePicker
        label={words.sourceLabel}
        value={source.instanceId}
        onChange={(instanceId) => onChange({ instanceId })}
        error={problem}
        isReadOnly={isReadOnly}
      />
      <Autocomplete
        label={words.signal}
        autoComplete="off"
        spellCheck={false}
        readOnly={isReadOnly}
        value={writeSignal(source)}
        onChange={(text) => onChange(readSignal(text))}
        data={signals}
        onFocus={() => setWatched(kind === 'command' || isReadOnly ? '' : source.instanceId)}
        comboboxProps={{ transitionProps: { duration: 0 } }}
      />
      <TextInput
        label={words.nameInTransform}
        autoComplete="off"
        spellCheck={false}
        readOnly={isReadOnly}
        value={source.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      {watched !== '' && <KnownSignals key={watched} instanceId={watched} kind={kind} onKnown={setSignals} />}
      {onRemove !== undefined && !isReadOnly && (
        <ActionIcon variant="subtle" aria-label={words.removeSource(source.name)} onClick={onRemove}>
          <Icon name="close" />
        </ActionIcon>
      )}
    </div>
  )
}

/** Writes a signal of a component as `component/signal`. */
const writeSignal = ({ component, signal }: Pick<Source, 'component' | 'signal'>) =>
  component === '-' ? signal : `${component}/${signal}`

function readSignal(text: string): Pick<Source, 'component' | 'signal'> {
  const slash = text.indexOf('/')
  return slash <= 0
    ? { component: '-', signal: text }
    : { component: text.slice(0, slash), signal: text.slice(slash + 1) }
}

/** Reports the signals that have a value as suggestions; other names can be typed. */
function KnownSignals({
  instanceId,
  kind,
  onKnown,
}: {
  instanceId: string
  kind: Kind
  onKnown: (names: string[]) => void
}) {
  const { values } = useLatestValues([instanceId])
  const type = kind === 'property' ? 'propertyReported' : 'telemetry'
  const names = [...values.values()]
    .filter(({ timeseriesType }) => timeseriesType === type)
    .map(({ componentId, timeseriesName }) =>
      writeSignal({ component: componentId ?? '-', signal: timeseriesName }),
    )
  const known = JSON.stringify([...new Set(names)])
  useEffect(() => onKnown(JSON.parse(known) as string[]), [known, onKnown])
  return null
}

function freeName(sources: Source[]): string {
  const names = new Set(sources.map(({ name }) => name))
  for (let number = 2; ; number++) if (!names.has(`value${number}`)) return `value${number}`
}
