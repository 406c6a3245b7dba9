import { Button, Checkbox, Select, TextInput } from '@mantine/core'
import type { Form } from '../../parts/form/use-form.ts'
import { Icon } from '../../parts/Icon.tsx'
import { NumberField } from '../../parts/number/NumberField.tsx'
import { Failed } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { useContents } from '../assets/contents.ts'
import styles from '../firmware/Firmware.module.css'
import { PickOne } from '../../parts/pick/PickOne.tsx'
import { ValuesInput } from '../firmware/ValuesInput.tsx'
import {
  type Generator,
  generators,
  newSignal,
  numberNames,
  type SignalValues,
  startSignal,
} from './signal-values.ts'
import type { SimulationValues } from './simulation-values.ts'
import { useObjectFinder } from '../access/use-object-finder.ts'

const MOST_SIGNALS = 50

/** The signals that each device sends, and how their values are made. */
export function SignalFields({ form }: { form: Form<SimulationValues> }) {
  const { form: words } = useWords('simulations')
  const { signals } = form.values
  const set = (next: SignalValues[]) => form.change({ signals: next })
  return (
    <section className={styles.block} aria-label={words.signals}>
      <h2 className={styles.subtitle}>{words.signals}</h2>
      {form.values.modelId !== '' && <ModelSignals modelId={form.values.modelId} onTake={set} />}
      {signals.map((signal, index) => (
        // Signals have no ids of their own.
        <fieldset key={index} className={styles.group}>
          <legend className={styles.legend}>{words.signal(index + 1)}</legend>
          <SignalInputs
            signal={signal}
            problem={(field) => form.problem(`signals.${index}.${field}`)}
            onChange={(changes) =>
              set(signals.map((other, at) => (at === index ? { ...other, ...changes } : other)))
            }
          />
          {signals.length > 1 && (
            <Button className={styles.start} onClick={() => set(signals.filter((_, at) => at !== index))}>
              {words.removeSignal(signal.name || words.signal(index + 1))}
            </Button>
          )}
        </fieldset>
      ))}
      {signals.length < MOST_SIGNALS && (
        <Button
          className={styles.start}
          leftSection={<Icon name="plus" />}
          onClick={() => set([...signals, newSignal])}
        >
          {words.addSignal}
        </Button>
      )}
    </section>
  )
}

interface ModelProps {
  modelId: string
  onTake: (signals: SignalValues[]) => void
}

/** Replaces the signals by those of the model, which are then bound to its assets. */
function ModelSignals({ modelId, onTake }: ModelProps) {
  const { form: words } = useWords('simulations')
  const { contents, error, isPending, refetch } = useContents(modelId)
  if (error !== null && !isPending) return <Failed error={error} onRetry={() => void refetch()} />
  const telemetry = contents.filter(({ kind }) => kind === 'telemetry')
  const signals = telemetry.flatMap((content) => startSignal(content) ?? []).slice(0, MOST_SIGNALS)
  const leftOut = telemetry.length - signals.length
  return (
    <div className={styles.line}>
      <Button loading={isPending} disabled={signals.length === 0} onClick={() => onTake(signals)}>
        {words.takeSignals(signals.length)}
      </Button>
      {leftOut > 0 && <span className={styles.quiet}>{words.leftOut(leftOut)}</span>}
    </div>
  )
}

interface InputsProps {
  signal: SignalValues
  problem: (field: string) => string | undefined
  onChange: (changes: Partial<SignalValues>) => void
}

function SignalInputs({ signal, problem, onChange }: InputsProps) {
  const { form: words } = useWords('simulations')
  const files = useObjectFinder('resource_item')
  const text = (field: 'name' | 'component' | 'value' | 'column') => ({
    autoComplete: 'off',
    spellCheck: false,
    value: signal[field],
    error: problem(field),
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ [field]: event.currentTarget.value }),
  })
  return (
    <div className={styles.pair}>
      <TextInput label={words.signalName} {...text('name')} />
      <TextInput label={words.component} {...text('component')} />
      <Select
        label={words.generator}
        allowDeselect={false}
        data={Object.keys(generators).map((generator) => ({
          value: generator,
          label: words.generators[generator as Generator],
        }))}
        value={signal.generator}
        onChange={(generator) => generator !== null && onChange({ generator: generator as Generator })}
      />
      {signal.generator === 'constant' && <TextInput label={words.value} {...text('value')} />}
      {signal.generator === 'steps' && (
        <ValuesInput
          label={words.values}
          allowDuplicates
          value={signal.values}
          onChange={(values) => onChange({ values })}
          error={problem('values')}
        />
      )}
      {signal.generator === 'csv' && (
        <>
          <PickOne
            {...files}
            label={words.file}
            value={signal.resourceId}
            onChange={(resourceId) => onChange({ resourceId })}
            error={problem('resourceId')}
          />
          <TextInput label={words.column} {...text('column')} />
          <Checkbox
            label={words.loop}
            checked={signal.loop}
            onChange={(event) => onChange({ loop: event.currentTarget.checked })}
          />
        </>
      )}
      {numberNames(signal.generator).map((name) => (
        <NumberField
          key={name}
          label={words.numbers[name]}
          value={signal.numbers[name] ?? null}
          onChange={(value) => onChange({ numbers: { ...signal.numbers, [name]: value } })}
          error={problem(name)}
        />
      ))}
    </div>
  )
}
