import { useMemo } from 'react'
import { useFormat } from '../../format.ts'
import { useWords } from '../../words/words.tsx'
import { Outdated } from '../Outdated.tsx'
import { Failed, Loading } from '../State.tsx'
import { StateMark } from '../StateMark.tsx'
import { CureButtons } from './CureButtons.tsx'
import styles from './Doctor.module.css'
import { type Finding, hasReached, sortFindings } from './finding.ts'
import { readValues } from './read-values.ts'
import type { DeviceValues } from './use-device-values.ts'
import { type Patient, useDoctor } from './use-doctor.ts'

type Shown = Finding & { isSettled: boolean }

interface Props {
  patient: Patient
  /** The values of the device, from `useDeviceValues(deviceId)`. */
  values: DeviceValues
  /**
   * Since then, attempts are included that may belong to this device: those with unknown ids, and TLS handshakes that
   * failed before the id was sent.
   */
  watchSinceMs?: number
  title?: string
}

/** Shows the live events of a device, its faults and their cures. */
export function Doctor({ patient, values, watchSinceMs, title }: Props) {
  const words = useWords('doctor')
  const doctor = useDoctor(patient, watchSinceMs)
  const findings = useMemo(
    () => sortFindings([...doctor.findings, ...readValues(values)]),
    [doctor.findings, values],
  )
  if (doctor.isPending) return <Loading rows={3} />
  if (doctor.error !== null && findings.length === 0)
    return <Failed error={doctor.error} onRetry={doctor.refresh} />
  const problem = findings.find(({ state, isSettled }) => state === 'bad' && !isSettled)
  return (
    <section className={styles.doctor} aria-label={title ?? words.title}>
      <h2 className={styles.title}>{title ?? words.title}</h2>
      <p className={styles.summary} role="status">
        <Summary findings={findings} problem={problem} />
      </p>
      {doctor.error !== null && <Outdated error={doctor.error} text={words.old} onRetry={doctor.refresh} />}
      {doctor.isClientHidden && <p className={styles.quiet}>{words.clientHidden}</p>}
      {findings.length === 0 && !doctor.isClientHidden && <p className={styles.quiet}>{words.quiet}</p>}
      <ol className={styles.log}>
        {findings.map((finding) => (
          <Entry key={finding.key} finding={finding} patient={patient} onCured={doctor.refresh} />
        ))}
      </ol>
    </section>
  )
}

function Summary({ findings, problem }: { findings: Shown[]; problem: Shown | undefined }) {
  const words = useWords('doctor')
  if (problem !== undefined) return <StateMark state="bad">{nameFault(problem, words)}</StateMark>
  if (hasReached('value', findings)) return <StateMark state="good">{words.alive}</StateMark>
  if (hasReached('connection', findings)) return <StateMark state="off">{words.waitingForValue}</StateMark>
  if (hasReached('registration', findings)) return <StateMark state="off">{words.waitingForSignIn}</StateMark>
  return <StateMark state="off">{words.waiting}</StateMark>
}

function Entry(props: { finding: Shown; patient: Patient; onCured: () => void }) {
  const { finding } = props
  const words = useWords('doctor')
  const format = useFormat()
  const known = words.faults[finding.code]
  const isOpen = finding.state === 'bad' && !finding.isSettled
  const text = finding.otherId === undefined ? known?.text : words.otherId(finding.otherId)
  const at = new Date(finding.at)
  return (
    <li className={styles.entry} data-state={finding.state} data-settled={finding.isSettled || undefined}>
      <time className={styles.time} dateTime={at.toISOString()} title={format.full(at)}>
        {format.time(at)}
      </time>
      <div className={styles.body}>
        <p className={styles.head}>
          <strong>{words.events[finding.event] ?? finding.event}</strong>
          <StateMark state={finding.state === 'info' ? 'off' : finding.state}>
            {nameFault(finding, words)}
          </StateMark>
          {finding.count > 1 && <span className={styles.count}>×{format.number(finding.count)}</span>}
          {finding.isSettled && <span className={styles.count}>{words.settled}</span>}
        </p>
        {finding.state === 'bad' && text !== undefined && <p className={styles.text}>{text}</p>}
        {finding.message !== null && finding.state !== 'info' && (
          <p className={styles.text}>
            <bdi>{finding.message}</bdi>
          </p>
        )}
        {finding.payload !== undefined && (
          <pre className={styles.payload}>
            <bdi>{finding.payload}</bdi>
          </pre>
        )}
        {finding.hint !== undefined && <p className={styles.hint}>{words.hints[finding.hint]}</p>}
        {isOpen && known === undefined && finding.advice !== null && (
          <p className={styles.text}>{finding.advice}</p>
        )}
        {finding.address !== null && isOpen && (
          <p className={styles.text}>
            {words.from} <code>{finding.address}</code>
          </p>
        )}
        {isOpen && <CureButtons {...props} />}
      </div>
    </li>
  )
}

function nameFault({ code, state, otherId }: Finding, words: Words) {
  if (otherId !== undefined) return words.faults.device_unknown!.name
  if (state === 'good') return words.done[code] ?? words.went
  if (state === 'info') return words.ends[code] ?? code.replaceAll('_', ' ')
  return words.faults[code]?.name ?? words.ends[code] ?? code.replaceAll('_', ' ')
}

type Words = ReturnType<typeof useWords<'doctor'>>
