import { Button } from '@mantine/core'
import { ApiError } from '@gangway/client'
import type { ReactNode } from 'react'
import { useWords } from '../words/words.tsx'
import { Icon, type IconName } from './Icon.tsx'
import { Refusal } from './Refusal.tsx'
import styles from './State.module.css'

/** Why there is nothing to see, and the next step. */
export const Empty = (props: { icon: IconName; title: string; text?: string; action?: ReactNode }) => (
  <div className={styles.state}>
    <Icon name={props.icon} size={24} />
    <h2 className={styles.title}>{props.title}</h2>
    {props.text !== undefined && <p className={styles.text}>{props.text}</p>}
    {props.action}
  </div>
)

/** What stands in the place of a whole page. */
export const InsteadOfPage = (props: {
  icon: IconName
  title: string
  text: string
  children: ReactNode
}) => (
  <div className={styles.state}>
    <Icon name={props.icon} size={24} />
    <h1 className={styles.title}>{props.title}</h1>
    <p className={styles.text}>{props.text}</p>
    {props.children}
  </div>
)

/**
 * Shows that data could not be loaded (forbidden, missing or failed), with the reason and a retry button.
 *
 * @param props.isPage whether it replaces a whole page: its title is then the heading of the page
 */
export function Failed(props: { error: unknown; onRetry?: () => void; isPage?: boolean }) {
  const { error, onRetry, isPage = false } = props
  const words = useWords('common')
  const { icon, title } = describeFailure(error, words)
  const Title = isPage ? 'h1' : 'h2'
  return (
    <div className={styles.state}>
      <Icon name={icon} size={24} />
      <Title className={styles.title}>{title}</Title>
      <Refusal error={error} />
      {onRetry !== undefined && <Button onClick={onRetry}>{words.retry}</Button>}
    </div>
  )
}

function describeFailure(
  error: unknown,
  words: { forbiddenTitle: string; notFoundTitle: string; failedTitle: string },
): { icon: IconName; title: string } {
  const status = error instanceof ApiError ? error.status : 0
  if (status === 403) return { icon: 'forbidden', title: words.forbiddenTitle }
  if (status === 404) return { icon: 'search', title: words.notFoundTitle }
  return { icon: 'bad', title: words.failedTitle }
}

/** Bars in the place of what loads; they appear after 200 ms, so that a quick answer does not flicker. */
export function Loading({ rows = 6 }: { rows?: number }) {
  const words = useWords('common')
  return (
    <div className={styles.loading} role="status" aria-label={words.loading}>
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} className={styles.bar} style={{ width: `${70 - ((index * 17) % 40)}%` }} />
      ))}
    </div>
  )
}

/** A line above content that is incomplete or older than it should be. */
export const Notice = ({ kind, children }: { kind: 'warning' | 'info'; children: ReactNode }) => (
  <p className={styles.notice} data-kind={kind} role="status">
    <Icon name={kind} />
    <span>{children}</span>
  </p>
)
