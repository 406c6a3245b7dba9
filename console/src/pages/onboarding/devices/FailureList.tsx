import { Button } from '@mantine/core'
import { useFormat } from '../../../format.ts'
import { download, spreadsheetText, writeCsv } from '../../../parts/download.ts'
import { useWords } from '../../../words/words.tsx'
import styles from '../Onboarding.module.css'

export interface NamedFailure {
  /** Line number in the file; null if there is none. */
  line: number | null
  deviceId: string
  reason: string
}

const MOST_SHOWN = 10

/** Shows the first failures, with a download of all. */
export function FailureList({ failures, name }: { failures: NamedFailure[]; name: string }) {
  const { failed: words } = useWords('onboardingDevices')
  const format = useFormat()
  if (failures.length === 0) return null
  const save = () => {
    const rows = failures.map(({ line, deviceId, reason }) => [
      line,
      spreadsheetText(deviceId),
      spreadsheetText(reason),
    ])
    download([writeCsv([['line', 'device_id', 'reason'], ...rows])], `${name}-errors.csv`)
  }
  const rest = failures.length - MOST_SHOWN
  return (
    <section className={styles.stack} aria-label={words.title}>
      <h3 className={styles.label}>{words.count(failures.length, format.number(failures.length))}</h3>
      <ul className={styles.list}>
        {failures.slice(0, MOST_SHOWN).map(({ line, deviceId, reason }) => (
          <li key={`${line} ${deviceId}`}>
            {line !== null && `${words.line(format.number(line))} `}
            <code>
              <bdi>{deviceId.slice(0, 128)}</bdi>
            </code>{' '}
            <bdi>{reason}</bdi>
          </li>
        ))}
        {rest > 0 && <li>{words.more(format.number(rest))}</li>}
      </ul>
      <div>
        <Button size="xs" onClick={save}>
          {words.save}
        </Button>
      </div>
    </section>
  )
}
