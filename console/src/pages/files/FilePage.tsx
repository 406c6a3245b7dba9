import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { Id } from '../../parts/Id.tsx'
import { DetailLayout, type Tab } from '../../parts/layout/DetailLayout.tsx'
import { Outdated } from '../../parts/Outdated.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Failed, Loading, Notice } from '../../parts/State.tsx'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { WhyNot } from '../models/WhyNot.tsx'
import { DeleteFile } from './DeleteFile.tsx'
import { DownloadFile } from './DownloadFile.tsx'
import { ReplaceFile } from './ReplaceFile.tsx'
import { readKind, type Resource, resourceRoute } from './resource.ts'
import { useUses } from './use-uses.ts'

const Preview = lazyPart(() => import('./Preview.tsx'))
const DocumentEditor = lazyPart(() => import('./DocumentEditor.tsx'))
const DetailsTab = lazyPart(() => import('./DetailsTab.tsx'))
const UsesTab = lazyPart(() => import('./UsesTab.tsx'))
const HistoryTab = lazyPart(() => import('./HistoryTab.tsx'))

const tabIds = ['content', 'theme', 'details', 'uses', 'history'] as const
const fields = { tab: choice(['', ...tabIds]) }

export default function FilePage() {
  const { resourceId } = useParams({ strict: false }) as { resourceId: string }
  const api = useApi()
  const resource = useQuery({
    queryKey: ['resource', resourceId],
    queryFn: ({ signal }) => api.get(resourceRoute, { path: { resourceId }, signal: withTimeout(signal) }),
  })
  const retry = () => void resource.refetch()
  if (resource.isPending) return <Loading />
  if (resource.data === undefined) return <Failed isPage error={resource.error} onRetry={retry} />
  return (
    <>
      {resource.error !== null && <Outdated error={resource.error} onRetry={retry} />}
      <Detail key={resourceId} resource={resource.data} />
    </>
  )
}

function Detail({ resource }: { resource: Resource }) {
  const words = useWords('files')
  const { pages } = useWords('shell')
  const format = useFormat()
  const [{ tab }, change] = useUrlState(fields)
  const uses = useUses(resource.id)
  const asked = { resourceType: 'resource_item', resourceId: resource.id, permission: 'manage' } as const
  const mayManage = useExplainedPermission(asked).data?.result
  const isReadOnly = mayManage !== true
  const kind = readKind(resource)
  const { metadata } = resource
  type TabId = (typeof tabIds)[number]
  const tabs: Tab<TabId>[] = [
    {
      id: 'content',
      title: words.tabs.content,
      render: () =>
        kind === 'file' ? (
          <Preview resource={resource} />
        ) : (
          <DocumentEditor resource={resource} view="json" isReadOnly={isReadOnly} />
        ),
    },
    {
      id: 'details',
      title: words.tabs.details,
      render: () => <DetailsTab resource={resource} isReadOnly={isReadOnly} />,
    },
    {
      id: 'uses',
      title: words.tabs.uses,
      ...(uses.data && { count: format.number(uses.data.length) }),
      render: () => <UsesTab resourceId={resource.id} />,
    },
    {
      id: 'history',
      title: words.tabs.history,
      render: () => <HistoryTab resource={resource} />,
    },
  ]
  // Both views of a theme are the same editor, which keeps its draft and its steps from one tab to the other.
  if (kind === 'theme')
    tabs.unshift({
      id: 'theme',
      title: words.tabs.theme,
      render: () => <DocumentEditor resource={resource} view="theme" isReadOnly={isReadOnly} />,
    })
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.files() }}
      title={resource.displayName}
      label={resource.displayName}
      facts={
        <>
          <span>{words.kinds[kind]}</span>
          <span>{format.bytes(metadata.size)}</span>
          <span>
            {words.changed} <RelativeTime at={metadata.changedAt} />
          </span>
          <Id value={resource.id} name={words.id} />
          <PageAnchor link={links.access('resource_item', resource.id)}>{pages.access}</PageAnchor>
        </>
      }
      actions={
        <>
          <CodeExamples requests={[example('get', resourceRoute, { path: { resourceId: resource.id } })]} />
          <DownloadFile resource={resource} />
          {kind === 'file' && <ReplaceFile resource={resource} isDisabled={isReadOnly} />}
          <DeleteFile resource={resource} />
        </>
      }
      tab={tab === '' ? tabs[0]!.id : tab}
      onTab={(next) => void change({ tab: next === tabs[0]!.id ? '' : next })}
      tabs={tabs}
    >
      {mayManage === false && (
        <Notice kind="info">
          {words.readOnly} <WhyNot reason={words.readOnly} asked={asked} />
        </Notice>
      )}
    </DetailLayout>
  )
}
