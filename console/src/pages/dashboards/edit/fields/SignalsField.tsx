import { ActionIcon, Button, Select, TextInput } from '@mantine/core'
import { lazyPart } from '../../../../load-part.ts'
import { Icon } from '../../../../parts/Icon.tsx'
import { PartBoundary } from '../../../../parts/PartBoundary.tsx'
import { useWords } from '../../../../words/words.tsx'
import type { Signal } from '../../../explore/signal.ts'
import type { Variable } from '../../board/board.ts'
import {
  bindSignals,
  readForeignReferences,
  readReferences,
  type SignalReference,
} from '../../board/signals.ts'
import styles from '../Editor.module.css'
import { listVariables } from './AssetFields.tsx'
import type { FieldProps } from './field.ts'

const SignalPicker = lazyPart(() => import('../../../explore/SignalPicker.tsx'))

const MOST_SIGNALS = 50
/** What the field of a color begins with. */
const FIRST_COLOR = '#1c7ed6'

/** Signals, from the tree or a search; each may take its asset from a variable. */
export const SignalsField = (props: FieldProps) => <Signals {...props} most={MOST_SIGNALS} hasColor />
/** Signals of widgets whose colors mean something else, such as states. */
export const PlainSignalsField = (props: FieldProps) => <Signals {...props} most={MOST_SIGNALS} />
export const SignalField = (props: FieldProps) => <Signals {...props} most={1} hasColor />

interface SignalsProps extends FieldProps {
  most: number
  hasColor?: boolean
}

function Signals({ options, variables, onChange, most, hasColor = false }: SignalsProps) {
  const words = useWords('dashboardEditor')
  const references = readReferences({ options })
  const foreign = readForeignReferences({ options })
  const set = (signals: SignalReference[]) => onChange({ signals: [...signals, ...foreign] })
  const fixed = bindSignals(
    references.filter(({ variable }) => variable === undefined),
    {},
  )
  const toggle = (signal: Signal) => {
    const rest = references.filter((reference) => bindSignals([reference], {})[0]?.id !== signal.id)
    if (rest.length < references.length) return set(rest)
    set([...rest, writeReference(signal)].slice(-most))
  }
  return (
    <section className={styles.group} aria-label={words.signals}>
      <h3 className={styles.groupTitle}>{words.signals}</h3>
      {references.map((reference, index) => (
        <ChosenSignal
          key={`${index} ${reference.name}`}
          reference={reference}
          variables={variables}
          hasColor={hasColor}
          onChange={(changed) => set(references.with(index, changed))}
          onRemove={() => set(references.toSpliced(index, 1))}
        />
      ))}
      {foreign.length > 0 && (
        <div className={styles.signalHead}>
          <span className={styles.note}>{words.foreignSignals(foreign.length)}</span>
          <Button variant="subtle" onClick={() => onChange({ signals: references })}>
            {words.removeForeignSignals}
          </Button>
        </div>
      )}
      <PartBoundary>
        <SignalPicker chosen={fixed} onToggle={toggle} />
      </PartBoundary>
    </section>
  )
}

const writeReference = ({ ownerId, componentId, kind, name }: Signal): SignalReference => ({
  assetId: ownerId,
  ...(componentId !== null && { componentId }),
  name,
  ...(kind === 'property' && { type: 'propertyReported' as const }),
})

interface ChosenProps {
  reference: SignalReference
  variables: Variable[]
  hasColor: boolean
  onChange: (reference: SignalReference) => void
  onRemove: () => void
}

function ChosenSignal({ reference, variables, hasColor, onChange, onRemove }: ChosenProps) {
  const words = useWords('dashboardEditor')
  const { assetId, variable, name, label, ...rest } = reference
  const owner = assetId ?? `{${variable}}`
  return (
    <div className={styles.signal}>
      <div className={styles.signalHead}>
        <span className={styles.signalName} title={`${owner} · ${name}`}>
          <bdi>{owner}</bdi> · <bdi>{name}</bdi>
        </span>
        <ActionIcon variant="subtle" aria-label={words.removeSignal(`${owner} ${name}`)} onClick={onRemove}>
          <Icon name="close" />
        </ActionIcon>
      </div>
      {hasColor && <ColorField reference={reference} onChange={onChange} />}
      <TextInput
        aria-label={words.labelOf(name)}
        placeholder={words.label}
        autoComplete="off"
        maxLength={256}
        value={label ?? ''}
        onChange={(event) => {
          const written = event.currentTarget.value
          const { label: _before, ...others } = reference
          onChange(written === '' ? others : { ...others, label: written })
        }}
      />
      {variables.length > 0 && (
        <Select
          aria-label={words.from}
          data={[
            ...(assetId === undefined ? [] : [{ value: `= ${assetId}`, label: assetId }]),
            ...listVariables(variables, words.variable),
          ]}
          value={variable ?? `= ${assetId}`}
          onChange={(chosen) => {
            if (chosen === null || chosen.startsWith('= ')) return
            onChange({ variable: chosen, name, ...rest, ...(label !== undefined && { label }) })
          }}
        />
      )}
    </div>
  )
}

/** The color of a signal. Without one it follows the palette, which differs in light and dark. */
function ColorField({ reference, onChange }: Pick<ChosenProps, 'reference' | 'onChange'>) {
  const words = useWords('dashboardEditor')
  const { color, ...rest } = reference
  if (color === undefined)
    return (
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={() => onChange({ ...reference, color: FIRST_COLOR })}
      >
        {words.colorOf(reference.name)}
      </Button>
    )
  return (
    <div className={styles.signalHead}>
      <input
        type="color"
        className={styles.color}
        aria-label={words.colorOf(reference.name)}
        value={color}
        onChange={(event) => onChange({ ...reference, color: event.currentTarget.value })}
      />
      <Button variant="subtle" size="compact-sm" onClick={() => onChange(rest)}>
        {words.automaticColor}
      </Button>
    </div>
  )
}
