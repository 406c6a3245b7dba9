import { TextInput } from '@mantine/core'
import { CodeBlock } from '../../parts/code/CodeBlock.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { ValueText } from '../../parts/Value.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Bindings.module.css'
import { labelEndpoint, parseEndpoint } from './binding.ts'
import type { BindingPreview } from './use-preview.ts'

interface Props {
  /** The value to try as text; empty for none. */
  text: string
  onChange: (text: string) => void
  /** The answer of the preview; undefined until there is one. */
  outgoing: BindingPreview['outgoing'] | undefined
  /** The reason, as a sentence, why no preview can be requested. */
  blocked: string | undefined
}

/** Shows what a desired value, or a payload of a command, becomes on its way to the device. */
export function OutgoingPreview({ text, onChange, outgoing, blocked }: Props) {
  const { outgoing: words, preview } = useWords('bindings')
  return (
    <section className={styles.preview} aria-label={words.title}>
      <header className={styles.previewHead}>
        <h2 className={styles.subtitle}>{words.title}</h2>
        <span className={styles.quiet}>{words.nothingSent}</span>
      </header>
      {blocked === undefined ? (
        <TextInput
          label={words.value}
          description={preview.sampleHint}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <p className={styles.quiet}>{blocked}</p>
      )}
      {blocked === undefined && text !== '' && outgoing != null && <Result outgoing={outgoing} />}
    </section>
  )
}

function Result({ outgoing }: { outgoing: NonNullable<BindingPreview['outgoing']> }) {
  const { outgoing: words } = useWords('bindings')
  return (
    <div className={styles.result} role="status">
      <StateMark state={outgoing.message === null ? 'good' : 'bad'}>
        {outgoing.message === null ? words.sent : words.notSent}
      </StateMark>
      {outgoing.message !== null && (
        <p className={styles.reason}>
          <bdi>{outgoing.message}</bdi>
        </p>
      )}
      <ul className={styles.values}>
        {outgoing.values.map(({ name, endpointId, value }) => (
          <li key={name} className={styles.sample}>
            <code className={styles.cut} title={endpointId}>
              <bdi>{`${parseEndpoint(endpointId).instanceId} · ${labelEndpoint(parseEndpoint(endpointId))}`}</bdi>
            </code>
            {typeof value === 'object' && value !== null ? (
              <CodeBlock code={JSON.stringify(value, null, 2)} name={name} />
            ) : (
              <span className={styles.number}>
                <ValueText value={value} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
