import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Answer } from '@gangway/client'
import { useApi } from '../../api/ApiProvider.tsx'
import { pickChanged } from '../../parts/draft/history.ts'
import { useSaveOver } from '../../parts/draft/use-save-over.ts'
import { SaveBar } from '../../parts/form/SaveBar.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { Notice } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import type { AskedPermission } from '../../parts/why/Permission.tsx'
import { Facts } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { WhyNot } from '../models/WhyNot.tsx'
import { type Channel, type Notification, startValues, writeBody } from './notification.ts'
import { NotificationFields } from './NotificationFields.tsx'
import styles from './Notifications.module.css'

const route = '/v1/notifications/{notificationId}'

interface Props {
  notification: Notification
  isReadOnly: boolean
  asked: AskedPermission
}

/** The fields, and beside them a test message to oneself. */
export function EditTab({ notification, isReadOnly, asked }: Props) {
  const words = useWords('notifications')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const path = { notificationId: notification.id }
  const initial = useMemo(() => startValues(notification), [notification])
  const saveOver = useSaveOver({
    queryKey: ['notification', notification.id],
    read: () => api.get(route, { path, signal: withTimeout() }),
    start: startValues,
  })
  const form = useForm({
    draft: `notification-${notification.id}`,
    follows: true,
    initial,
    validate: ({ displayName }) => (displayName.trim() === '' ? { displayName: common.required } : {}),
    submit: async (values) => {
      await saveOver(values, initial)
      const body = pickChanged(writeBody(values), writeBody(initial))
      const saved = await api.patch(route, { path, body, signal: withTimeout() })
      form.settle(values, startValues(saved))
      cache.setQueryData(['notification', notification.id], saved)
      void cache.invalidateQueries({ queryKey: ['notifications'] })
    },
  })
  return (
    <div className={styles.columns}>
      <form onSubmit={form.onSubmit} noValidate aria-label={words.tabs.edit} className={styles.fields}>
        {isReadOnly && (
          <Notice kind="info">
            {words.readOnly} <WhyNot reason={words.readOnly} asked={asked} />
          </Notice>
        )}
        <NotificationFields form={form} isReadOnly={isReadOnly} />
        {!isReadOnly && (
          <SaveBar
            form={form}
            label={words.save}
            labels={{
              displayName: words.name,
              description: words.description,
              trigger: words.rules,
              broadcast: words.broadcast,
              subscribers: words.contactGroups,
            }}
          />
        )}
      </form>
      {!isReadOnly && <TestMessage notification={notification} isChanged={form.isChanged} />}
    </div>
  )
}

type Sent = Answer<'post', '/v1/notifications/{notificationId}/test'>

function TestMessage({ notification, isChanged }: { notification: Notification; isChanged: boolean }) {
  const { test: words, email, sms } = useWords('notifications')
  const { deliveries } = useWords('alarms')
  const api = useApi()
  const [sent, setSent] = useState<Sent | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [running, setRunning] = useState<Channel | null>(null)
  const names = { email, sms }
  const send = async (channel: Channel) => {
    setRunning(channel)
    setFailure(null)
    setSent(null)
    try {
      setSent(
        await api.post('/v1/notifications/{notificationId}/test', {
          path: { notificationId: notification.id },
          body: { channel },
          signal: withTimeout(),
        }),
      )
    } catch (error) {
      setFailure(error)
    } finally {
      setRunning(null)
    }
  }
  return (
    <section className={styles.panel} aria-label={words.title}>
      <h2 className={styles.subtitle}>{words.title}</h2>
      <p className={styles.quiet}>{isChanged ? words.saveFirst : words.text}</p>
      <div className={styles.buttons}>
        {(['email', 'sms'] as const).map((channel) => (
          <Button
            key={channel}
            loading={running === channel}
            disabled={isChanged || running !== null}
            onClick={() => void send(channel)}
          >
            {words.by(names[channel])}
          </Button>
        ))}
      </div>
      {failure !== null && <Refusal error={failure} />}
      {sent !== null && (
        <div role="status" className={styles.fields}>
          <StateMark state={sent.state === 'sent' ? 'good' : sent.state === 'failed' ? 'bad' : 'warning'}>
            {deliveries.states[sent.state]}
          </StateMark>
          {sent.reason !== null && (
            <p>
              {deliveries.reasons[sent.reason] ?? sent.reason} {deliveries.cures[sent.reason]}
            </p>
          )}
          <Facts
            entries={[
              ...(sent.address === null
                ? []
                : [[deliveries.address, <bdi key="to">{sent.address}</bdi>] as Entry]),
              ...(sent.message === null
                ? []
                : [[deliveries.answer, <bdi key="said">{sent.message}</bdi>] as Entry]),
              ...(sent.subject === null
                ? []
                : [[deliveries.subject, <bdi key="subject">{sent.subject}</bdi>] as Entry]),
              [
                deliveries.body,
                <pre key="body" className={styles.message}>
                  {sent.body}
                </pre>,
              ],
            ]}
          />
        </div>
      )}
    </section>
  )
}

type Entry = [name: string, value: React.ReactNode]
