import { Button } from '@mantine/core'
import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import { isMissingPart } from '../load-part.ts'
import { Refusal } from '../parts/Refusal.tsx'
import { useWords } from '../words/words.tsx'
import { Card } from '../session/Card.tsx'
import styles from '../session/Card.module.css'

export function NotFoundPage() {
  const words = useWords('shell')
  return (
    <Card title={words.notFoundTitle} text={words.notFoundText}>
      <div className={styles.form}>
        <Link to="/">{words.goHome}</Link>
      </div>
    </Card>
  )
}

/** A page that threw. The rest of the console goes on. */
export function FailurePage({ error, reset }: ErrorComponentProps) {
  const words = useWords('shell')
  const isMissing = isMissingPart(error)
  return (
    <Card title={words.failureTitle}>
      <div className={styles.form}>
        <Refusal error={error} />
        <Button onClick={isMissing ? () => location.reload() : reset}>
          {isMissing ? words.reload : words.retry}
        </Button>
        <Link to="/">{words.goHome}</Link>
      </div>
    </Card>
  )
}
