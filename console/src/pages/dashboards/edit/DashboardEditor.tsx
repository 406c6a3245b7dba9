import { ApiError } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { Empty, Failed, Loading } from '../../../parts/State.tsx'
import { WhyButton } from '../../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../../parts/why/WhyPanel.tsx'
import { useDisclosure } from '@mantine/hooks'
import { useExplainedPermission } from '../../../parts/why/Permission.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import { readBoard } from '../board/board.ts'
import styles from '../Dashboards.module.css'
import { useDashboard } from '../use-dashboard.ts'
import { BoardEditor } from './BoardEditor.tsx'
import { useStoredDraft } from './use-board-draft.ts'

export default function DashboardEditor() {
  const { dashboardId } = useParams({ strict: false }) as { dashboardId: string }
  const asked = { resourceType: 'dashboard', resourceId: dashboardId, permission: 'manage' } as const
  const allowed = useExplainedPermission(asked)
  const dashboard = useDashboard(dashboardId)
  if (dashboard.data === undefined && dashboard.error !== null)
    return <Failed isPage error={dashboard.error} onRetry={() => void dashboard.refetch()} />
  if (dashboard.data === undefined || allowed.isPending) return <Loading />
  if (allowed.data?.result === false) return <MayNot asked={asked} />
  return <LoadedEditor key={dashboardId} dashboardId={dashboardId} />
}

function MayNot({
  asked,
}: {
  asked: { resourceType: 'dashboard'; resourceId: string; permission: 'manage' }
}) {
  const words = useWords('dashboards')
  const [isWhy, why] = useDisclosure()
  return (
    <div className={styles.page}>
      <h1 className="visually-hidden">{words.edit}</h1>
      <Empty icon="forbidden" title={words.mayNotManage} action={<WhyButton onClick={why.open} />} />
      <WhyPanel isOpen={isWhy} onClose={why.close} reason={words.mayNotManage} permission={asked} />
    </div>
  )
}

/** Reads the draft of an earlier visit before the editor begins. */
function LoadedEditor({ dashboardId }: { dashboardId: string }) {
  const stored = useStoredDraft(dashboardId)
  if (stored.data === undefined)
    return stored.error === null ? (
      <Loading />
    ) : (
      <Failed isPage error={stored.error} onRetry={() => void stored.refetch()} />
    )
  const { values, isOnServer } = stored.data
  return (
    <StartedEditor dashboardId={dashboardId} draftVersion={values?.version} isDraftOnServer={isOnServer} />
  )
}

interface StartedProps {
  dashboardId: string
  /** The version that the draft of an earlier visit changes. */
  draftVersion: number | undefined
  isDraftOnServer: boolean
}

/** Reads the version that the draft changes. What others save later does not begin the editor again. */
function StartedEditor({ dashboardId, draftVersion, isDraftOnServer }: StartedProps) {
  const words = useWords('dashboards')
  const api = useApi()
  const dashboard = useDashboard(dashboardId)
  const [present] = useState(dashboard.data!)
  const [version] = useState(draftVersion ?? present.version)
  const isOlder = version !== present.version
  const base = useQuery({
    queryKey: ['dashboard-base', dashboardId, version],
    queryFn: ({ signal }) =>
      api
        .get('/v1/dashboards/{dashboardId}/versions/{version}', {
          path: { dashboardId, version },
          signal: withTimeout(signal),
        })
        .then(({ data }) => data ?? {}, orGone),
    enabled: isOlder,
    staleTime: Infinity,
  })
  if (isOlder && base.data === undefined)
    return base.error === null ? (
      <Loading />
    ) : (
      <Failed isPage error={base.error} onRetry={() => void base.refetch()} />
    )
  if (readBoard(present.data) === null)
    return (
      <div className={styles.page}>
        <h1 className="visually-hidden">{words.edit}</h1>
        <Empty icon="dashboards" title={words.foreignText} />
      </div>
    )
  return (
    <BoardEditor
      dashboardId={dashboardId}
      isDraftOnServer={isDraftOnServer}
      start={{ version, data: isOlder ? base.data! : present.data }}
    />
  )
}

/** An old version may be gone: then whatever differs is a conflict. */
function orGone(error: unknown): Record<string, unknown> {
  if (error instanceof ApiError && error.status === 404) return {}
  throw error
}
