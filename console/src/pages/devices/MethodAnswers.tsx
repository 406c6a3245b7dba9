import { type Answer, ApiError } from '@gangway/client'
import { useFormat } from '../../format.ts'
import { CodeBlock } from '../../parts/code/CodeBlock.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Devices.module.css'

export interface Invocation {
  method: string
  atMs: number
  durationMs: number
  /** Time that the device had for its answer. */
  mostMs: number
  answer?: Answer<'post', '/v1/providers/{providerId}/clients/{clientId}/methods'>
  error?: unknown
}

export function MethodAnswers({ invocations, isWaiting }: { invocations: Invocation[]; isWaiting: boolean }) {
  const { methods: words } = useWords('devices')
  if (invocations.length === 0) return isWaiting ? null : <p className={styles.note}>{words.noAnswers}</p>
  return (
    <div aria-live="polite" className={styles.half}>
      {invocations.map((invocation) => (
        <article
          key={invocation.atMs}
          className={styles.answer}
          aria-label={words.answerOf(invocation.method)}
        >
          <p className={styles.answerHead}>
            <code>{invocation.method}</code>
            <RelativeTime at={invocation.atMs} />
          </p>
          {invocation.answer === undefined ? <NoAnswer {...invocation} /> : <Answered {...invocation} />}
        </article>
      ))}
    </div>
  )
}

function Answered({ answer, durationMs, method }: Invocation) {
  const { methods: words } = useWords('devices')
  const format = useFormat()
  const { status, payload } = answer!
  const duration = format.duration(durationMs)
  return (
    <>
      {status === 200 ? (
        <StateMark state="good">{words.ok(duration)}</StateMark>
      ) : (
        <StateMark state="warning">{words.answered(String(status), duration)}</StateMark>
      )}
      {payload === null || payload === undefined ? (
        <p className={styles.note}>{words.noPayload}</p>
      ) : (
        <CodeBlock code={JSON.stringify(payload, null, 2)} name={words.answerOf(method)} />
      )}
    </>
  )
}

/** Outcome of a call without an answer: it was not sent, timed out, was refused, or its outcome is unknown. */
function NoAnswer({ error, mostMs }: Invocation) {
  const { methods: words } = useWords('devices')
  const format = useFormat()
  const code = error instanceof ApiError ? error.code : undefined
  if (code === 'device_offline')
    return <Outcome title={words.notSent} text={words.notSentText} error={error} />
  if (code === 'device_timeout')
    return <Outcome title={words.timedOut(format.duration(mostMs))} text={words.timedOutText} error={error} />
  if (error instanceof ApiError && error.status < 500) return <Outcome title={words.refused} error={error} />
  return <Outcome title={words.unknown} text={words.unknownText} error={error} />
}

const Outcome = ({ title, text, error }: { title: string; text?: string; error: unknown }) => (
  <>
    <StateMark state="bad">{title}</StateMark>
    {text !== undefined && <p>{text}</p>}
    <Refusal error={error} />
  </>
)
