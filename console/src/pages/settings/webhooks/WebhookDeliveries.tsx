import { Button } from '@mantine/core'
import type { Answer } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { Id, Name } from '../../../parts/Id.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Empty } from '../../../parts/State.tsx'
import { type StateKind, StateMark } from '../../../parts/StateMark.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import type { Column } from '../../../parts/table/types.ts'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { WhyButton } from '../../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../../parts/why/WhyPanel.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Settings.module.css'

export const deliveriesRoute = '/v1/providers/{providerId}/webhooks/{webhookId}/deliveries'

type Delivery = Answer<'get', typeof deliveriesRoute>[number]

interface Place {
  providerId: string
  webhookId: string
}

const PAGE = 100
/** An open page stays well within the requests of an account. */
const REFRESH_MS = 20_000

const marks: Record<Delivery['state'], StateKind> = { waiting: 'warning', sending: 'active', failed: 'bad' }

/** What the webhook has not accepted, with the reason; what it has accepted is not kept. */
export function WebhookDeliveries({ path }: { path: Place }) {
  const { deliveries: words } = useWords('settings')
  const api = useApi()
  const [shown, setShown] = useState<Delivery | null>(null)
  const source = usePagedList<Delivery>(
    ['webhook-deliveries', path],
    (cursor, signal) =>
      api.page(deliveriesRoute, { path, query: { limit: PAGE, cursor }, signal: withTimeout(signal) }),
    { refreshMs: REFRESH_MS },
  )
  return (
    <>
      <p className={styles.quiet}>{words.what}</p>
      <DataTable
        name="webhook-deliveries"
        label={words.title}
        source={source}
        columns={useColumns(setShown)}
        rowKey={({ id }) => id}
        rowName={({ event, deviceId }) => `${event} ${deviceId}`}
        empty={<Empty icon="good" title={words.emptyTitle} text={words.emptyText} />}
      />
      {shown !== null && <WhyDelivery path={path} delivery={shown} onClose={() => setShown(null)} />}
    </>
  )
}

function useColumns(onWhy: (delivery: Delivery) => void): Column<Delivery>[] {
  const { deliveries: words } = useWords('settings')
  const format = useFormat()
  return [
    {
      id: 'device',
      title: words.device,
      width: 'minmax(120px, 2fr)',
      render: ({ deviceId }) => <Name>{deviceId}</Name>,
    },
    {
      id: 'state',
      title: words.state,
      width: 'minmax(148px, 1.4fr)',
      isOnPhone: true,
      render: (row) => (
        <>
          <StateMark state={marks[row.state]}>{words.states[row.state]}</StateMark>{' '}
          <WhyButton onClick={() => onWhy(row)} />
        </>
      ),
    },
    {
      id: 'event',
      title: words.event,
      width: 'minmax(112px, 1.4fr)',
      render: ({ event }) => <Name>{event}</Name>,
    },
    {
      id: 'occurred',
      title: words.occurred,
      width: 'minmax(104px, 150px)',
      render: ({ occurredAt }) => <RelativeTime at={occurredAt} />,
    },
    {
      id: 'next',
      title: words.next,
      width: 'minmax(104px, 150px)',
      render: ({ nextTryAt }) => nextTryAt !== null && <RelativeTime at={nextTryAt} />,
    },
    {
      id: 'attempts',
      title: words.attempts,
      width: '80px',
      align: 'end',
      render: ({ attempts }) => format.number(attempts),
    },
  ]
}

function WhyDelivery(props: { path: Place; delivery: Delivery; onClose: () => void }) {
  const { delivery, path, onClose } = props
  const { deliveries: words } = useWords('settings')
  const format = useFormat()
  const { lastError, state, attempts, maxAttempts, id, nextTryAt } = delivery
  const facts: [string, ReactNode][] = [
    [words.attempts, words.attemptsOf(format.number(attempts), format.number(maxAttempts))],
    [words.eventId, <Id key="event" value={id} name={words.eventId} />],
    ...(nextTryAt === null ? [] : ([[words.next, format.full(nextTryAt)]] as [string, ReactNode][])),
  ]
  if (state !== 'sending')
    facts.push([words.again, <SendNow key="again" path={path} delivery={delivery} onSent={onClose} />])
  return (
    <WhyPanel
      isOpen
      onClose={onClose}
      reason={lastError === null ? words.notTried : <bdi>{lastError}</bdi>}
      code={state}
      cure={words.cures[state]}
      facts={facts}
    />
  )
}

function SendNow(props: { path: Place; delivery: Delivery; onSent: () => void }) {
  const { path, delivery, onSent } = props
  const { deliveries: words } = useWords('settings')
  const api = useApi()
  const cache = useQueryClient()
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const send = async () => {
    setRunning(true)
    setFailure(null)
    try {
      await api.post(`${deliveriesRoute}/{deliveryId}/retry`, {
        path: { ...path, deliveryId: delivery.id },
        signal: withTimeout(),
      })
      void cache.invalidateQueries({ queryKey: ['webhook-deliveries'] })
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
          {words.sendNow}
        </Button>
      </div>
      {failure !== null && <Refusal error={failure} />}
    </div>
  )
}
