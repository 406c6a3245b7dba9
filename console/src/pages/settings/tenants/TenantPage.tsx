import { ApiError } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { Id } from '../../../parts/Id.tsx'
import { DetailLayout } from '../../../parts/layout/DetailLayout.tsx'
import { Outdated } from '../../../parts/Outdated.tsx'
import { Failed, Loading, Notice } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { choice, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { DeleteTenant } from './DeleteTenant.tsx'
import { RetentionTab } from './RetentionTab.tsx'
import { SettingsTab } from './SettingsTab.tsx'
import { type Tenant, tenantRoute } from './tenant.ts'

const fields = { tab: choice(['settings', 'retention']) }
const DELETION_REFRESH_MS = 3000

export default function TenantPage() {
  const { tenantId } = useParams({ strict: false }) as { tenantId: string }
  const { tenants: words } = useWords('settings')
  const api = useApi()
  const tenant = useQuery({
    queryKey: ['tenant', tenantId],
    queryFn: ({ signal }) => api.get(tenantRoute, { path: { tenantId }, signal: withTimeout(signal) }),
    // A deletion that has ended answers "not found".
    refetchInterval: ({ state: { data, error } }) =>
      data?.deletion && !isGone(error) ? DELETION_REFRESH_MS : false,
  })
  if (tenant.isPending) return <Loading />
  if (tenant.data === undefined)
    return <Failed isPage error={tenant.error} onRetry={() => void tenant.refetch()} />
  if (tenant.data.deletion !== null && isGone(tenant.error))
    return <Notice kind="info">{words.gone(tenant.data.displayName)}</Notice>
  return (
    <>
      {tenant.error !== null && <Outdated error={tenant.error} onRetry={() => void tenant.refetch()} />}
      <Detail key={tenantId} tenant={tenant.data} />
    </>
  )
}

const isGone = (error: Error | null) => error instanceof ApiError && error.status === 404

function Detail({ tenant }: { tenant: Tenant }) {
  const { tenants: words } = useWords('settings')
  const format = useFormat()
  const [{ tab }, change] = useUrlState(fields)
  const { id: tenantId, displayName, plan, deletion } = tenant
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.tenants() }}
      title={displayName}
      label={displayName}
      facts={
        <>
          {deletion === null && <StateMark state="good">{words.active}</StateMark>}
          {deletion !== null && (
            <StateMark state={deletion.error === null ? 'active' : 'bad'}>{words.deleting}</StateMark>
          )}
          <span>{words.plans[plan]}</span>
          <Id value={tenantId} name={words.id} />
        </>
      }
      actions={
        <>
          <CodeExamples requests={[example('get', tenantRoute, { path: { tenantId } })]} />
          <DeleteTenant tenant={tenant} />
        </>
      }
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        { id: 'settings', title: words.tabs.settings, render: () => <SettingsTab tenant={tenant} /> },
        { id: 'retention', title: words.tabs.retention, render: () => <RetentionTab tenant={tenant} /> },
      ]}
    >
      {deletion !== null && (
        <Notice kind={deletion.error === null ? 'info' : 'warning'}>
          {words.progress(format.full(deletion.startedAt), format.number(deletion.deletedRows))}{' '}
          {deletion.error !== null && words.deletionFailed(deletion.error)}
        </Notice>
      )}
    </DetailLayout>
  )
}
