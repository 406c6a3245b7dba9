import { Button, Drawer } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { CodeBlock } from '../../../parts/code/CodeBlock.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Failed, Loading } from '../../../parts/State.tsx'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../EntryList.module.css'
import type { Dashboard } from '../use-dashboard.ts'
import { useVersion, VersionChanges } from './VersionChanges.tsx'
import type { Schemas } from '@gangway/client'

type Version = Schemas['DashboardVersion']
const PAGE = 30

/** Drawer with the versions of a dashboard: who made each and when, what it changed, and its data, to restore it. */
export default function VersionHistory({
  dashboard,
  onClose,
}: {
  dashboard: Dashboard
  onClose: () => void
}) {
  const words = useWords('dashboards')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const [restoring, setRestoring] = useState<number | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const source = usePagedList<Version>(
    ['dashboard-versions', dashboard.id, dashboard.version],
    (cursor, signal) =>
      api.page('/v1/dashboards/{dashboardId}/versions', {
        path: { dashboardId: dashboard.id },
        query: { limit: PAGE, cursor },
        signal: withTimeout(signal),
      }),
  )
  const restore = async (version: number) => {
    setRestoring(version)
    setFailure(null)
    try {
      const restored = await api.post('/v1/dashboards/{dashboardId}/versions/{version}/restore', {
        path: { dashboardId: dashboard.id, version },
        signal: withTimeout(),
      })
      cache.setQueryData(['dashboard', dashboard.id], restored)
      void cache.invalidateQueries({ queryKey: ['dashboards'] })
      onClose()
    } catch (error) {
      setFailure(error)
    } finally {
      setRestoring(null)
    }
  }
  return (
    <Drawer
      opened
      size="lg"
      onClose={onClose}
      title={words.history}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <p className={styles.note}>{words.historyText}</p>
      {failure !== null && <Refusal error={failure} />}
      {source.isLoading && <Loading />}
      {source.error !== null && <Failed error={source.error} onRetry={source.refresh} />}
      <ol className={styles.list} aria-label={words.history}>
        {source.rows.map((version) => (
          <Entry
            key={version.version}
            dashboard={dashboard}
            version={version}
            isRestoring={restoring === version.version}
            onRestore={() => void restore(version.version)}
          />
        ))}
      </ol>
      {source.hasMore && (
        <Button loading={source.isLoadingMore} onClick={source.loadMore}>
          {common.loadMore}
        </Button>
      )}
    </Drawer>
  )
}

interface EntryProps {
  dashboard: Dashboard
  version: Version
  isRestoring: boolean
  onRestore: () => void
}

function Entry({ dashboard, version, isRestoring, onRestore }: EntryProps) {
  const words = useWords('dashboards')
  const format = useFormat()
  const [open, setOpen] = useState<'changes' | 'data' | null>(null)
  const isPresent = version.version === dashboard.version
  const canRestore = !isPresent && version.action !== 'delete'
  return (
    <li className={styles.entry}>
      <div className={styles.line}>
        <span className={styles.what}>
          <span className={styles.name}>
            {words.versionBy(version.version, words.actions[version.action])}
            {isPresent && ` · ${words.present}`}
          </span>
          <span className={styles.note}>
            <bdi>{version.changedBy?.displayName ?? words.somebody}</bdi> · <RelativeTime at={version.at} /> ·{' '}
            {format.bytes(version.dataBytes)}
          </span>
        </span>
        {version.action !== 'delete' && (
          <>
            <Button
              variant="subtle"
              aria-expanded={open === 'changes'}
              aria-label={words.changesOf(version.version)}
              onClick={() => setOpen(open === 'changes' ? null : 'changes')}
            >
              {words.whatChanged}
            </Button>
            <Button
              variant="subtle"
              aria-expanded={open === 'data'}
              aria-label={words.showVersion(version.version)}
              onClick={() => setOpen(open === 'data' ? null : 'data')}
            >
              {words.data}
            </Button>
          </>
        )}
        {canRestore && (
          <Button
            loading={isRestoring}
            aria-label={words.restoreVersion(version.version)}
            onClick={onRestore}
          >
            {words.restore}
          </Button>
        )}
      </div>
      {open === 'changes' && <VersionChanges dashboardId={dashboard.id} version={version.version} />}
      {open === 'data' && <VersionData dashboardId={dashboard.id} version={version.version} />}
    </li>
  )
}

function VersionData({ dashboardId, version }: { dashboardId: string; version: number }) {
  const words = useWords('dashboards')
  const { data, error } = useVersion(dashboardId, version)
  if (error !== null) return <Refusal error={error} />
  if (data === undefined) return <Loading rows={2} />
  if (data === null) return <p className={styles.note}>{words.versionGone}</p>
  return <CodeBlock code={JSON.stringify(data.data, null, 2)} name={words.data} />
}
