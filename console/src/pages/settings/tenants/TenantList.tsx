import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazyPart } from '../../../load-part.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { listExample } from '../../../parts/code/example.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { Name } from '../../../parts/Id.tsx'
import { PartBoundary } from '../../../parts/PartBoundary.tsx'
import { ListPage } from '../../../parts/layout/ListPage.tsx'
import { Empty } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import type { Column } from '../../../parts/table/types.ts'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import type { Tenant } from './tenant.ts'

const CreateTenant = lazyPart(() => import('./CreateTenant.tsx'))

const query = { limit: 100 }
const REFRESH_MS = 15_000

/** The tenants of the installation, for owners of the environment. */
export default function TenantList() {
  const { title, tenants: words } = useWords('settings')
  const api = useApi()
  const [isOpen, dialog] = useDisclosure()
  const source = usePagedList<Tenant>(
    ['tenants'],
    (cursor, signal) => api.page('/v1/tenants', { query: { ...query, cursor }, signal: withTimeout(signal) }),
    { refreshMs: REFRESH_MS },
  )
  const isRefused = source.error !== null && source.rows.length === 0
  return (
    <ListPage
      parent={{ title, link: links.settings() }}
      title={words.title}
      text={words.what}
      actions={
        <>
          <CodeExamples requests={[listExample('/v1/tenants', { query })]} />
          <Button
            variant="filled"
            leftSection={<Icon name="plus" />}
            disabled={isRefused}
            onClick={dialog.open}
          >
            {words.create}
          </Button>
        </>
      }
    >
      <DataTable
        name="tenants"
        label={words.title}
        source={source}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ displayName }) => displayName}
        rowLink={({ id }) => links.tenant(id)}
        empty={<Empty icon="organization" title={words.title} />}
      />
      <PartBoundary>{isOpen && <CreateTenant onClose={dialog.close} />}</PartBoundary>
    </ListPage>
  )
}

function useColumns(): Column<Tenant>[] {
  const { tenants: words } = useWords('settings')
  const format = useFormat()
  return [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(140px, 2fr)',
      render: ({ displayName }) => <Name>{displayName}</Name>,
    },
    { id: 'id', title: words.id, width: 'minmax(96px, 1fr)', render: ({ id }) => <Name>{id}</Name> },
    {
      id: 'state',
      title: words.state,
      width: 'minmax(120px, 1fr)',
      isOnPhone: true,
      render: ({ deletion }) =>
        deletion === null ? (
          <StateMark state="good">{words.active}</StateMark>
        ) : (
          <StateMark state={deletion.error === null ? 'active' : 'bad'}>{words.deleting}</StateMark>
        ),
    },
    { id: 'plan', title: words.plan, width: '112px', render: ({ plan }) => words.plans[plan] },
    {
      id: 'retention',
      title: words.retention,
      width: 'minmax(104px, 1fr)',
      render: ({ telemetryRetentionDays: days }) =>
        days === null ? words.keepsAll : words.days(days, format.number(days)),
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
