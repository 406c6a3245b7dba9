import { useParams } from '@tanstack/react-router'
import { lazyPart } from '../../../load-part.ts'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { type CodeExample, example } from '../../../parts/code/example.ts'
import { Id } from '../../../parts/Id.tsx'
import { DetailLayout, type Tab } from '../../../parts/layout/DetailLayout.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Failed, Loading, Notice } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { choice, useUrlState } from '../../../url-state.ts'
import { useWords } from '../../../words/words.tsx'
import { listKeyRequests } from '../keys/list-key-requests.ts'
import { type Group, useTargets } from '../use-groups.ts'
import { DeleteGroup } from './DeleteGroup.tsx'
import { EnableGroup } from './EnableGroup.tsx'
import { useGroup } from './use-group.ts'
import { useReadiness } from './use-readiness.ts'

const tabIds = ['template', 'keys', 'certificates', 'settings'] as const
type TabId = (typeof tabIds)[number]

const pages = {
  template: lazyPart(() => import('./TemplateTab.tsx')),
  keys: lazyPart(() => import('../keys/KeysTab.tsx')),
  certificates: lazyPart(() => import('./CertificatesTab.tsx')),
  settings: lazyPart(() => import('./SettingsTab.tsx')),
}

const fields = { tab: choice(tabIds) }

export default function GroupPage() {
  const { groupId } = useParams({ strict: false }) as { groupId: string }
  const common = useWords('common')
  const group = useGroup(groupId)
  if (group.data === undefined && group.error !== null)
    return <Failed isPage error={group.error} onRetry={() => void group.refetch()} />
  if (group.data === undefined) return <Loading />
  return (
    <>
      {group.error !== null && <Notice kind="warning">{common.refreshFailed}</Notice>}
      <GroupDetail key={groupId} group={group.data} />
    </>
  )
}

function GroupDetail({ group }: { group: Group }) {
  const words = useWords('groups')
  const [{ tab }, change] = useUrlState(fields)
  const tabs: Tab<TabId>[] = tabIds.map((id) => {
    const Page = pages[id]
    return { id, title: words.tabs[id], render: () => <Page group={group} /> }
  })
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.groups() }}
      title={group.name}
      label={group.name}
      facts={<GroupFacts group={group} />}
      actions={
        <>
          <CodeExamples requests={listRequests(group, tab)} />
          <EnableGroup group={group} />
          <DeleteGroup group={group} />
        </>
      }
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={tabs}
    />
  )
}

function listRequests(group: Group, tab: TabId): CodeExample[] {
  const path = { id: group.id }
  if (tab === 'keys') return listKeyRequests(group.id)
  if (tab === 'certificates') return [example('get', '/api/enrollment-groups/{id}/certificates', { path })]
  const { response_template, routing_target_id } = group
  return [
    example('get', '/api/enrollment-groups/{id}', { path }),
    example('post', '/api/enrollment-groups/preview', {
      body: { response_template, routing_target_id, device_id: 'device-0001' },
    }),
  ]
}

function GroupFacts({ group }: { group: Group }) {
  const words = useWords('groups')
  const format = useFormat()
  const { targets } = useTargets()
  const { data: readiness } = useReadiness(group.id)
  const target = targets?.find(({ id }) => id === group.routing_target_id)
  return (
    <>
      <StateMark state={group.status === 'enabled' ? 'good' : 'off'}>{words.states[group.status]}</StateMark>
      <span>
        {words.target}{' '}
        <PageAnchor link={links.target(group.routing_target_id)}>
          <bdi>{target?.name ?? group.routing_target_id.slice(0, 8)}</bdi>
        </PageAnchor>
      </span>
      {readiness !== undefined && (
        <PageAnchor link={links.onboardingDevices({ group: group.id })}>
          {words.deviceCount(readiness.devices, format.number(readiness.devices))}
        </PageAnchor>
      )}
      <Id value={group.id} name={words.id} />
    </>
  )
}
