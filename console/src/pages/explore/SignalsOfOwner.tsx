import { Checkbox } from '@mantine/core'
import { useFormat } from '../../format.ts'
import { useLatestValues } from '../../live/use-latest-values.ts'
import { Failed, Loading } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { formatSignal, parseSignal, type Signal } from './signal.ts'
import { writeState } from './read-samples.ts'
import styles from './Explore.module.css'

interface Props {
  ownerId: string
  chosen: Signal[]
  onToggle: (signal: Signal) => void
}

/** Signals of an asset or a client that have a value, with their latest values. */
export function SignalsOfOwner({ ownerId, chosen, onToggle }: Props) {
  const words = useWords('explore')
  const format = useFormat()
  const { values, isStarted, error, retry } = useLatestValues([ownerId])
  if (error) return <Failed error={error} onRetry={retry} />
  if (!isStarted && values.size === 0) return <Loading rows={2} />
  if (values.size === 0) return <p className={styles.note}>{words.noSignals}</p>
  return (
    <ul className={styles.owners}>
      {[...values].map(([key, event]) => {
        const signal = parseSignal(formatSignal(event))
        if (!signal) return null
        const label = signal.componentId === null ? signal.name : `${signal.componentId} · ${signal.name}`
        const value = typeof event.value === 'number' ? format.number(event.value) : writeState(event.value)
        return (
          <li key={key} className={styles.signal}>
            <Checkbox
              classNames={{ body: styles.checkbox!, labelWrapper: styles.checkLabel! }}
              label={<bdi title={label}>{label}</bdi>}
              checked={chosen.some(({ id }) => id === signal.id)}
              onChange={() => onToggle(signal)}
            />
            <bdi className={styles.latest} title={format.full(event.time)}>
              {value}
            </bdi>
          </li>
        )
      })}
    </ul>
  )
}
