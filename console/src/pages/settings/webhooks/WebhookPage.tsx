import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useApi } from '../../../api/ApiProvider.tsx'
import { whileShown } from '../../../api/refetch.ts'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { DeleteButton } from '../../../parts/DeleteButton.tsx'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example, listExample } from '../../../parts/code/example.ts'
import { Id, Name } from '../../../parts/Id.tsx'
import { DetailLayout } from '../../../parts/layout/DetailLayout.tsx'
import { Outdated } from '../../../parts/Outdated.tsx'
import { Failed, Loading, Notice } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { choice, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Settings.module.css'
import { deliveriesRoute, WebhookDeliveries } from './WebhookDeliveries.tsx'
import { stateMarks, type Webhook, webhookRoute } from './webhook.ts'

const fields = { tab: choice(['deliveries', 'details']) }
/** An open page stays well within the requests of an account. */
const REFRESH_MS = 20_000

interface Place {
  providerId: string
  webhookId: string
}

export default function WebhookPage() {
  const path = useParams({ strict: false }) as Place
  const api = useApi()
  const webhook = useQuery({
    queryKey: ['webhook', path],
    queryFn: ({ signal }) => api.get(webhookRoute, { path, signal: withTimeout(signal) }),
    refetchInterval: whileShown(REFRESH_MS),
  })
  const retry = () => void webhook.refetch()
  if (webhook.isPending) return <Loading />
  if (webhook.data === undefined) return <Failed isPage error={webhook.error} onRetry={retry} />
  return (
    <>
      {webhook.error !== null && <Outdated error={webhook.error} onRetry={retry} />}
      <Detail key={path.webhookId} webhook={webhook.data} path={path} />
    </>
  )
}

function Detail({ webhook, path }: { webhook: Webhook; path: Place }) {
  const { webhooks: words } = useWords('settings')
  const [{ tab }, change] = useUrlState(fields)
  const { state } = webhook.delivery
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.webhooks({ provider: path.providerId }) }}
      title={webhook.url}
      label={webhook.url}
      facts={
        <>
          <StateMark state={stateMarks[state]}>{words.states[state]}</StateMark>
          <Name>{path.providerId}</Name>
          <Id value={webhook.id} name={words.id} />
        </>
      }
      actions={
        <>
          <CodeExamples
            requests={[example('get', webhookRoute, { path }), listExample(deliveriesRoute, { path })]}
          />
          <DeleteWebhook webhook={webhook} path={path} />
        </>
      }
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        { id: 'deliveries', title: words.tabs.deliveries, render: () => <WebhookDeliveries path={path} /> },
        { id: 'details', title: words.tabs.details, render: () => <Details webhook={webhook} /> },
      ]}
    >
      {state !== 'ok' && <Trouble delivery={webhook.delivery} />}
    </DetailLayout>
  )
}

/** Since when a webhook does not answer, with what, and when it is tried next. */
function Trouble({ delivery }: Pick<Webhook, 'delivery'>) {
  const { webhooks: words } = useWords('settings')
  const format = useFormat()
  const { failures, lastError, failingSince, retryAt } = delivery
  return (
    <Notice kind="warning">
      {words.failing(format.number(failures), failingSince === null ? '' : format.full(failingSince))}{' '}
      {lastError !== null && <bdi>{words.lastly(lastError)}</bdi>}{' '}
      {retryAt !== null && words.pausedUntil(format.full(retryAt))}
    </Notice>
  )
}

function Details({ webhook }: { webhook: Webhook }) {
  const { webhooks: words } = useWords('settings')
  const format = useFormat()
  return (
    <div className={styles.scroll}>
      <Facts
        entries={[
          [words.url, <Id key="url" value={webhook.url} name={words.url} />],
          [words.events, webhook.events.map((name) => words.eventNames[name]).join(', ')],
          [words.routingTarget, webhook.routingTargetId ?? words.none],
          [words.created, format.full(webhook.createdAt)],
        ]}
      />
      <p className={styles.quiet}>{words.fixed}</p>
    </div>
  )
}

function DeleteWebhook({ webhook, path }: { webhook: Webhook; path: Place }) {
  const { webhooks: words } = useWords('settings')
  const api = useApi()
  return (
    <DeleteButton
      action={words.delete}
      title={words.deleteTitle}
      name={webhook.url}
      onDelete={() => api.delete(webhookRoute, { path, signal: withTimeout() })}
      next={links.webhooks({ provider: path.providerId })}
      cached={{ one: ['webhook', path], lists: ['webhooks'] }}
    >
      <p>{words.deleteText}</p>
    </DeleteButton>
  )
}
