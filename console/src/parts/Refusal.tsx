import { ApiError, ConnectionError } from '@gangway/client'
import { useFormat } from '../format.ts'
import { isMissingPart } from '../load-part.ts'
import { useWords } from '../words/words.tsx'
import { Copy } from './Copy.tsx'
import { Icon } from './Icon.tsx'
import styles from './Refusal.module.css'

/** What was refused, why, what to do, and the ids that an administrator asks for. */
export function Refusal({ error }: { error: unknown }) {
  const words = useWords('common')
  const explain = useExplanation()
  const { reason, cure } = explain(error)
  return (
    <div role="alert" className={styles.refusal}>
      <Icon name="bad" />
      <div className={styles.body}>
        <p className={styles.reason}>
          <bdi>{reason}</bdi>
        </p>
        {error instanceof ApiError && <Issues error={error} />}
        {cure !== undefined && <p className={styles.cure}>{cure}</p>}
        {error instanceof ApiError && (
          <p className={styles.ids}>
            <code>{error.code}</code>
            {error.requestId !== undefined && (
              <>
                {' · '}
                {words.requestId} <code>{error.requestId}</code>
                <Copy text={error.requestId} name={words.requestId} />
              </>
            )}
          </p>
        )}
      </div>
    </div>
  )
}

function Issues({ error }: { error: ApiError }) {
  if (error.issues.length < 2) return null
  return (
    <ul className={styles.issues}>
      {error.issues.map(({ path, message }) => (
        <li key={`${path} ${message}`}>
          <code>{path}</code> <bdi>{message}</bdi>
        </li>
      ))}
    </ul>
  )
}

export interface Explanation {
  reason: string
  cure?: string
}

/** @returns a function that says in words why something failed and what to do about it */
export function useExplanation() {
  const words = useWords('common')
  const format = useFormat()
  return (error: unknown): Explanation => {
    if (error instanceof ConnectionError)
      return error.timeoutMs === undefined
        ? { reason: words.unreachable, cure: words.checkNetwork }
        : { reason: words.timedOut(format.duration(error.timeoutMs)), cure: words.checkNetwork }
    if (isMissingPart(error)) return { reason: words.missingPart, cure: words.reloadPage }
    if (!(error instanceof ApiError))
      return { reason: error instanceof Error ? error.message : words.unexpected }
    const { retryAfterSeconds, code, message, issues, details } = error
    const known = words.known[String(details.reason)]
    if (known !== undefined) return known
    const only = issues.length === 1 ? `${issues[0]!.path}: ${issues[0]!.message}` : message
    const after = retryAfterSeconds && words.tryAfter(format.duration(retryAfterSeconds * 1000))
    // A wrong password is no reason to sign in again.
    const cure = code === 'unauthorized' ? undefined : words.cures[code]
    return { reason: only, cure: after || cure }
  }
}
