import { Button, TextInput } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useFormat } from '../../format.ts'
import { CodeBlock } from '../../parts/code/CodeBlock.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Loading } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { ValueText } from '../../parts/Value.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Bindings.module.css'
import type { BindingPreview } from './use-preview.ts'

const BUDGET = 100_000

interface Props {
  query: UseQueryResult<BindingPreview>
  isWaiting: boolean
  /** The reason, as a sentence, why no preview can be requested. */
  blocked: string | undefined
  /** Whether the fields show problems. */
  hasProblems: boolean
  unit: string | undefined
  /** Test values by the name of the source. */
  samples: Record<string, string>
  onSample: (name: string, text: string | null) => void
}

/** Shows the result of the edited binding for the last values. */
export function Preview({ query, isWaiting, blocked, hasProblems, unit, samples, onSample }: Props) {
  const words = useWords('bindings')
  const format = useFormat()
  const { data, error } = query
  return (
    <section className={styles.preview} aria-label={words.preview.title} aria-busy={isWaiting}>
      <header className={styles.previewHead}>
        <h2 className={styles.subtitle}>{words.preview.title}</h2>
        <span className={styles.quiet}>
          {isWaiting && blocked === undefined ? words.preview.running : words.preview.nothingStored}
        </span>
      </header>
      {blocked !== undefined && <p className={styles.quiet}>{blocked}</p>}
      {blocked === undefined && error !== null && (
        <p className={styles.quiet}>{hasProblems ? words.preview.hasProblems : words.preview.failed}</p>
      )}
      {blocked === undefined && error === null && data === undefined && <Loading rows={3} />}
      {data !== undefined && blocked === undefined && error === null && (
        <>
          <ul className={styles.values}>
            {data.values.map((value) => (
              <SampleRow
                key={value.name}
                given={value}
                text={samples[value.name]}
                onChange={(text) => onSample(value.name, text)}
              />
            ))}
          </ul>
          <div className={styles.result} data-outcome={data.outcome} role="status">
            <StateMark
              state={data.outcome === 'stored' ? 'good' : data.outcome === 'failed' ? 'bad' : 'warning'}
            >
              {words.outcomes[data.outcome]}
            </StateMark>
            {data.outcome === 'stored' && <Result value={data.result} unit={unit} />}
            {data.message !== null && (
              <p className={styles.reason}>
                <bdi>{data.message}</bdi>
              </p>
            )}
            {data.outcome !== 'stored' && <p className={styles.quiet}>{words.cures[data.outcome]}</p>}
            <p className={styles.quiet}>{words.steps(format.number(data.steps), format.number(BUDGET))}</p>
          </div>
        </>
      )}
    </section>
  )
}

function Result({ value, unit }: { value: unknown; unit: string | undefined }) {
  const words = useWords('bindings')
  if (typeof value === 'object' && value !== null)
    return <CodeBlock code={JSON.stringify(value, null, 2)} name={words.preview.result} />
  return (
    <p className={styles.number}>
      <ValueText value={value} />
      {unit !== undefined && <span className={styles.unit}>{unit}</span>}
    </p>
  )
}

interface SampleProps {
  given: BindingPreview['values'][number]
  text: string | undefined
  onChange: (text: string | null) => void
}

/** The last value of a source, or a test value in its place. */
function SampleRow({ given, text, onChange }: SampleProps) {
  const words = useWords('bindings')
  const isTried = text !== undefined
  const isKnown = given.value !== null && given.value !== undefined
  return (
    <li className={styles.sample}>
      <div className={styles.sampleHead}>
        <code className={styles.cut} title={given.endpointId}>
          <bdi>{given.name}</bdi>
        </code>
        {!isTried && isKnown && (
          <span className={styles.sampleValue}>
            <ValueText value={given.value} />
            <span className={styles.quiet}>{given.time !== null && <RelativeTime at={given.time} />}</span>
          </span>
        )}
        {!isTried && !isKnown && <span className={styles.quiet}>{words.preview.noValue}</span>}
        {isTried ? (
          <Button size="compact-xs" onClick={() => onChange(null)}>
            {words.preview.useLast}
          </Button>
        ) : (
          <Button
            size="compact-xs"
            leftSection={<Icon name="plus" size={12} />}
            onClick={() => onChange(isKnown ? JSON.stringify(given.value) : '')}
          >
            {words.preview.tryAnother}
          </Button>
        )}
      </div>
      {isTried && (
        <TextInput
          aria-label={words.preview.sampleOf(given.name)}
          description={words.preview.sampleHint}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </li>
  )
}
