import { Button, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { FormDialog } from '../../parts/form/FormDialog.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { acknowledgeAll, type Refused } from './acknowledge-all.ts'
import styles from './Alarms.module.css'
import type { Status } from './status.ts'

const MOST_NAMED = 5
const MAX_COMMENT = 2000
const route = '/v1/alarms/status/acknowledge/{alarmStatusId}'

interface Props {
  statuses: Status[]
  onClose: () => void
}

/** Acknowledges alarms, with a comment; says before which ones, and keeps the comment if one is refused. */
export default function AcknowledgeDialog({ statuses, onClose }: Props) {
  const { acknowledge: words, rowName } = useWords('alarms')
  const common = useWords('common')
  const format = useFormat()
  const api = useApi()
  const cache = useQueryClient()
  const [comment, setComment] = useState('')
  const [done, setDone] = useState<ReadonlySet<string>>(new Set())
  const [refused, setRefused] = useState<readonly Refused[]>([])
  const [failure, setFailure] = useState<Refused | null>(null)
  const [isRunning, setRunning] = useState(false)
  const open = statuses.filter(({ acknowledged }) => !acknowledged)
  const isRefused = (id: string) => refused.some(({ status }) => status.alarmStatusId === id)
  const left = open.filter(({ alarmStatusId: id }) => !done.has(id) && !isRefused(id))
  const run = async (event: FormEvent) => {
    event.preventDefault()
    setRunning(true)
    setFailure(null)
    const written = comment.trim()
    const result = await acknowledgeAll(left, async ({ alarmStatusId }) => {
      await api.put(route, {
        path: { alarmStatusId },
        ...(written !== '' && { body: { comment: written } }),
        signal: withTimeout(),
      })
      setDone((present) => new Set(present).add(alarmStatusId))
    })
    setRefused((present) => [...present, ...result.refused])
    setFailure(result.stopped)
    setRunning(false)
    await cache.invalidateQueries({ queryKey: ['alarms'] })
    if (result.refused.length === 0 && result.stopped === null) onClose()
  }
  return (
    <FormDialog
      form={{ isChanged: comment.trim() !== '', isSubmitting: isRunning }}
      onClose={onClose}
      title={words.title(format.number(open.length), open.length)}
    >
      <form onSubmit={(event) => void run(event)} className={styles.fields} aria-label={words.action}>
        <p className={styles.quiet}>{open.length === 0 ? words.nothing : words.text}</p>
        <ul className={styles.names}>
          {open.slice(0, MOST_NAMED).map((status) => (
            <li key={status.alarmStatusId}>
              <bdi>{rowName(status.alarmName, status.entityName)}</bdi>
            </li>
          ))}
          {open.length > MOST_NAMED && <li>{words.more(format.number(open.length - MOST_NAMED))}</li>}
        </ul>
        <Textarea
          data-autofocus
          label={words.comment}
          description={words.commentHint}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={MAX_COMMENT}
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        {refused.length > 0 && (
          <>
            <p className={styles.quiet}>{words.refused(format.number(refused.length), refused.length)}</p>
            <ul className={styles.names}>
              {refused.slice(0, MOST_NAMED).map(({ status }) => (
                <li key={status.alarmStatusId}>
                  <bdi>{rowName(status.alarmName, status.entityName)}</bdi>
                </li>
              ))}
              {refused.length > MOST_NAMED && (
                <li>{words.more(format.number(refused.length - MOST_NAMED))}</li>
              )}
            </ul>
            <Refusal error={refused[0]!.error} />
          </>
        )}
        {failure !== null && (
          <>
            <p className={styles.quiet}>
              {words.stoppedAt(rowName(failure.status.alarmName, failure.status.entityName))}
            </p>
            <Refusal error={failure.error} />
          </>
        )}
        <div className={styles.buttons}>
          {isRunning && open.length > 1 && (
            <span role="status" className={styles.quiet}>
              {words.progress(format.number(done.size), format.number(open.length))}
            </span>
          )}
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="filled" loading={isRunning} disabled={left.length === 0}>
            {words.action}
          </Button>
        </div>
      </form>
    </FormDialog>
  )
}
