import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { Name } from '../../parts/Id.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { type StateKind, StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column, RowSource } from '../../parts/table/types.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Alarms.module.css'
import type { NamedDelivery } from './delivery.ts'

const marks: Record<NamedDelivery['state'], StateKind> = {
  queued: 'active',
  sent: 'good',
  failed: 'bad',
  skipped: 'warning',
  not_configured: 'warning',
}

interface Props {
  name: string
  source: RowSource<NamedDelivery>
  /** Whether the rows are of several notifications. */
  hasNotification?: boolean
  empty: ReactNode
}

/** Deliveries with their state; "Why?" shows the reason, what to do, and the message. */
export function DeliveryTable({ name, source, hasNotification = false, empty }: Props) {
  const { deliveries: words } = useWords('alarms')
  const format = useFormat()
  const [shown, setShown] = useState<NamedDelivery | null>(null)
  const columns: Column<NamedDelivery>[] = [
    {
      id: 'recipient',
      title: words.recipient,
      width: 'minmax(112px, 1.6fr)',
      render: ({ userName }) => <Name>{userName}</Name>,
    },
    {
      id: 'state',
      title: words.state,
      width: 'minmax(148px, 1.4fr)',
      isOnPhone: true,
      render: (row) => (
        <>
          <StateMark state={marks[row.state]}>{words.states[row.state]}</StateMark>{' '}
          <WhyButton onClick={() => setShown(row)} />
        </>
      ),
    },
    {
      id: 'channel',
      title: words.channel,
      width: 'minmax(64px, 88px)',
      render: ({ channel }) => words.channels[channel],
    },
    {
      id: 'address',
      title: words.address,
      width: 'minmax(112px, 2fr)',
      render: ({ address }) => address !== null && <Name>{address}</Name>,
    },
    {
      id: 'at',
      title: words.at,
      width: 'minmax(104px, 150px)',
      isOnPhone: true,
      render: ({ sentAt, lastAttemptAt, createdAt }) => (
        <RelativeTime at={sentAt ?? lastAttemptAt ?? createdAt} />
      ),
    },
    {
      id: 'attempts',
      title: words.attempts,
      width: '72px',
      align: 'end',
      render: ({ attempts }) => format.number(attempts),
    },
  ]
  const notification: Column<NamedDelivery> = {
    id: 'notification',
    title: words.notification,
    width: 'minmax(112px, 2fr)',
    render: ({ notificationName }) => <Name>{notificationName}</Name>,
  }
  return (
    <>
      <DataTable
        name={name}
        label={words.title}
        source={source}
        columns={hasNotification ? [...columns.slice(0, 2), notification, ...columns.slice(2)] : columns}
        rowKey={({ id }) => id}
        rowName={({ userName, channel }) => `${userName}, ${words.channels[channel]}`}
        empty={empty}
      />
      {shown !== null && <WhyDelivery delivery={shown} onClose={() => setShown(null)} />}
    </>
  )
}

function WhyDelivery({ delivery, onClose }: { delivery: NamedDelivery; onClose: () => void }) {
  const { deliveries: words } = useWords('alarms')
  const format = useFormat()
  const { state, reason, message, subject, body, pausedUntil, lastAttemptAt, createdAt } = delivery
  const facts: [string, ReactNode][] = [[words.at, format.full(lastAttemptAt ?? createdAt)]]
  if (message !== null) facts.push([words.answer, <bdi key="answer">{message}</bdi>])
  if (pausedUntil !== null) facts.push([words.pausedUntil, format.full(pausedUntil)])
  if (subject !== null) facts.push([words.subject, <bdi key="subject">{subject}</bdi>])
  if (isUndelivered(state))
    facts.push([words.again, <SendAgain key="again" delivery={delivery} onSent={onClose} />])
  facts.push([
    words.body,
    <pre key="body" className={styles.message}>
      {body}
    </pre>,
  ])
  return (
    <WhyPanel
      isOpen
      onClose={onClose}
      title={words.whyTitle}
      reason={reason === null ? words.states[state] : (words.reasons[reason] ?? <code>{reason}</code>)}
      code={reason ?? state}
      cure={reason === null ? undefined : words.cures[reason]}
      facts={facts}
    />
  )
}

const isUndelivered = (state: NamedDelivery['state']) => state !== 'sent' && state !== 'queued'

/** Sends a message again to the present address; the refusal says why the user cannot get it. */
function SendAgain({ delivery, onSent }: { delivery: NamedDelivery; onSent: () => void }) {
  const { deliveries: words } = useWords('alarms')
  const api = useApi()
  const cache = useQueryClient()
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const send = async () => {
    setRunning(true)
    setFailure(null)
    try {
      await api.post('/v1/notifications/{notificationId}/deliveries/{deliveryId}/retry', {
        path: { notificationId: delivery.notificationId, deliveryId: delivery.id },
        signal: withTimeout(),
      })
      void cache.invalidateQueries({ queryKey: ['deliveries'] })
      onSent()
    } catch (error) {
      setFailure(error)
    } finally {
      setRunning(false)
    }
  }
  return (
    <div className={styles.fields}>
      <div>
        <Button loading={isRunning} onClick={() => void send()}>
          {words.sendAgain}
        </Button>
      </div>
      {failure !== null && <Refusal error={failure} />}
    </div>
  )
}
