import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { lazyPart } from '../../../load-part.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { listExample } from '../../../parts/code/example.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { Name } from '../../../parts/Id.tsx'
import { PartBoundary } from '../../../parts/PartBoundary.tsx'
import { ListPage } from '../../../parts/layout/ListPage.tsx'
import { Empty, Failed, Loading } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import type { Column } from '../../../parts/table/types.ts'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { text, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { stateMarks, type Webhook, webhooksRoute } from './webhook.ts'

const CreateWebhook = lazyPart(() => import('./CreateWebhook.tsx'))

const fields = { provider: text() }
const PAGE = 100
const OFFERED = 1000
const REFRESH_MS = 15_000

interface Provider {
  id: string
  displayName: string
}

/** The webhooks of one provider. */
export default function WebhookList() {
  const { title, webhooks: words } = useWords('settings')
  const api = useApi()
  const providers = useQuery({
    queryKey: ['providers', 'offered'],
    queryFn: ({ signal }) =>
      api.get('/v1/providers', { query: { limit: OFFERED }, signal: withTimeout(signal) }),
    staleTime: 60_000,
  })
  if (providers.isPending) return <Loading />
  if (providers.data === undefined)
    return <Failed isPage error={providers.error} onRetry={() => void providers.refetch()} />
  if (providers.data.length === 0)
    return (
      <ListPage parent={{ title, link: links.settings() }} title={words.title} text={words.what}>
        <Empty icon="devices" title={words.noProviderTitle} text={words.noProviderText} />
      </ListPage>
    )
  return <WebhooksOf providers={providers.data} />
}

function WebhooksOf({ providers }: { providers: Provider[] }) {
  const { title, webhooks: words } = useWords('settings')
  const api = useApi()
  const [{ provider }, change] = useUrlState(fields)
  const [isOpen, dialog] = useDisclosure()
  const providerId = provider || providers[0]!.id
  const path = { providerId }
  const query = { limit: PAGE }
  const source = usePagedList<Webhook>(
    ['webhooks', providerId],
    (cursor, signal) =>
      api.page(webhooksRoute, { path, query: { ...query, cursor }, signal: withTimeout(signal) }),
    { refreshMs: REFRESH_MS },
  )
  const isRefused = source.error !== null && source.rows.length === 0
  const create = (
    <Button variant="filled" leftSection={<Icon name="plus" />} disabled={isRefused} onClick={dialog.open}>
      {words.create}
    </Button>
  )
  return (
    <ListPage
      parent={{ title, link: links.settings() }}
      title={words.title}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={
        <>
          <CodeExamples requests={[listExample(webhooksRoute, { path, query })]} />
          {create}
        </>
      }
    >
      <DataTable
        name="webhooks"
        label={words.title}
        source={source}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ url }) => url}
        rowLink={({ id }) => links.webhook(providerId, id)}
        filters={[
          {
            id: 'provider',
            label: words.provider,
            isRequired: true,
            options: providers.map(({ id, displayName }) => ({ value: id, label: displayName })),
            value: providerId,
            onChange: (next) => void change({ provider: next }),
          },
        ]}
        empty={<Empty icon="external" title={words.emptyTitle} text={words.emptyText} action={create} />}
      />
      <PartBoundary>
        {isOpen && <CreateWebhook providerId={providerId} onClose={dialog.close} />}
      </PartBoundary>
    </ListPage>
  )
}

function useColumns(): Column<Webhook>[] {
  const { webhooks: words } = useWords('settings')
  return [
    {
      id: 'url',
      title: words.url,
      width: 'minmax(160px, 3fr)',
      render: ({ url }) => <Name>{url}</Name>,
    },
    {
      id: 'state',
      title: words.state,
      width: 'minmax(112px, 1fr)',
      isOnPhone: true,
      render: ({ delivery }) => (
        <StateMark state={stateMarks[delivery.state]}>{words.states[delivery.state]}</StateMark>
      ),
    },
    {
      id: 'error',
      title: words.lastError,
      width: 'minmax(120px, 2fr)',
      render: ({ delivery }) => delivery.lastError !== null && <Name>{delivery.lastError}</Name>,
    },
    {
      id: 'events',
      title: words.events,
      width: 'minmax(120px, 1.5fr)',
      render: ({ events }) => <Name>{events.join(', ')}</Name>,
    },
    {
      id: 'created',
      title: words.created,
      width: 'minmax(104px, 150px)',
      isOptional: true,
      render: ({ createdAt }) => <RelativeTime at={createdAt} />,
    },
  ]
}
