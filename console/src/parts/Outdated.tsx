import { useState } from 'react'
import { useWords } from '../words/words.tsx'
import { Refusal } from './Refusal.tsx'
import { Notice } from './State.tsx'
import styles from './State.module.css'
import { WhyButton } from './why/WhyButton.tsx'

interface Props {
  error: unknown
  /** The message; by default that the page could not be refreshed. */
  text?: string
  onRetry?: () => void
}

/** A warning above data that could not be refreshed, with the reason and a retry button. */
export function Outdated({ error, text, onRetry }: Props) {
  const words = useWords('common')
  const [isWhy, setWhy] = useState(false)
  return (
    <div className={styles.outdated}>
      <Notice kind="warning">
        {text ?? words.refreshFailed} <WhyButton onClick={() => setWhy(!isWhy)} isOpen={isWhy} />
        {onRetry !== undefined && (
          <button type="button" className={styles.again} onClick={onRetry}>
            {words.retry}
          </button>
        )}
      </Notice>
      {isWhy && <Refusal error={error} />}
    </div>
  )
}
