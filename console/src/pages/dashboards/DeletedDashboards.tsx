import { Button, Modal } from '@mantine/core'
import type { Schemas } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './EntryList.module.css'

type Deleted = Schemas['DeletedDashboard']
const PAGE = 50

/** Dialog that lists deleted dashboards and restores one. */
export default function DeletedDashboards({ onClose }: { onClose: () => void }) {
  const words = useWords('dashboards')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const router = useRouter()
  const [restoring, setRestoring] = useState<string | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const deleted = usePagedList<Deleted>(['deleted-dashboards'], (cursor, signal) =>
    api.page('/v1/deleted-dashboards', { query: { limit: PAGE, cursor }, signal: withTimeout(signal) }),
  )
  const restore = async (dashboardId: string) => {
    setRestoring(dashboardId)
    setFailure(null)
    try {
      await api.post('/v1/deleted-dashboards/{dashboardId}/restore', {
        path: { dashboardId },
        signal: withTimeout(),
      })
      for (const queryKey of [['dashboards'], ['deleted-dashboards']])
        void cache.invalidateQueries({ queryKey })
      await router.navigate(links.dashboard(dashboardId) as never)
    } catch (error) {
      setFailure(error)
      setRestoring(null)
    }
  }
  return (
    <Modal opened onClose={onClose} title={words.deleted} closeButtonProps={{ 'aria-label': common.close }}>
      <p className={styles.note}>{words.deletedText}</p>
      {failure !== null && <Refusal error={failure} />}
      {deleted.isLoading && <Loading rows={3} />}
      {deleted.error !== null && <Failed error={deleted.error} onRetry={deleted.refresh} />}
      {!deleted.isLoading && deleted.error === null && deleted.rows.length === 0 && (
        <p>{words.noneDeleted}</p>
      )}
      <ul className={styles.list}>
        {deleted.rows.map(({ id, displayName, deletedAt, deletedBy }) => (
          <li key={id} className={styles.line}>
            <span className={styles.what}>
              <bdi className={styles.name} title={displayName}>
                {displayName}
              </bdi>
              <span className={styles.note}>
                <bdi>{deletedBy?.displayName ?? words.somebody}</bdi> · <RelativeTime at={deletedAt} />
              </span>
            </span>
            <Button loading={restoring === id} onClick={() => void restore(id)}>
              {words.restore}
            </Button>
          </li>
        ))}
      </ul>
      {deleted.hasMore && (
        <Button loading={deleted.isLoadingMore} onClick={deleted.loadMore}>
          {common.loadMore}
        </Button>
      )}
    </Modal>
  )
}
