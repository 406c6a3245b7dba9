import type { Schemas } from '@gangway/client'
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { ConfirmByName } from '../../../parts/ConfirmByName.tsx'
import { Name } from '../../../parts/Id.tsx'
import { Failed, Loading } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useNow } from '../../../parts/use-now.ts'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import list from '../EntryList.module.css'
import styles from './Share.module.css'

type Token = Schemas['DashboardToken']
const PAGE = 30
const MINUTE_MS = 60_000

/** Links of all people for the dashboard, with a button that revokes each. */
export function LinkList({ dashboardId }: { dashboardId: string }) {
  const words = useWords('kiosk')
  const common = useWords('common')
  const api = useApi()
  const [revoked, setRevoked] = useState<Token | null>(null)
  const source = usePagedList<Token>(['dashboard-links', dashboardId], (cursor, signal) =>
    api.page('/v1/dashboards/{dashboardId}/api-tokens', {
      path: { dashboardId },
      query: { limit: PAGE, cursor },
      signal: withTimeout(signal),
    }),
  )
  return (
    <div className={styles.fields}>
      <h4 className={styles.title}>{words.links}</h4>
      {source.isLoading && <Loading />}
      {source.error !== null && <Failed error={source.error} onRetry={source.refresh} />}
      {!source.isLoading && source.error === null && source.rows.length === 0 && (
        <p className={styles.text}>{words.noLinks}</p>
      )}
      <ul className={list.list} aria-label={words.links}>
        {source.rows.map((token) => (
          <Link key={token.id} token={token} onRevoke={() => setRevoked(token)} />
        ))}
      </ul>
      {source.hasMore && (
        <Button loading={source.isLoadingMore} onClick={source.loadMore}>
          {common.loadMore}
        </Button>
      )}
      {revoked !== null && (
        <RevokeLink dashboardId={dashboardId} token={revoked} onClose={() => setRevoked(null)} />
      )}
    </div>
  )
}

function Link({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const words = useWords('kiosk')
  const now = useNow(MINUTE_MS)
  const { displayName, expiresAt, createdBy } = token
  return (
    <li className={list.line}>
      <span className={list.what}>
        <Name>{displayName}</Name>
        <span className={styles.text}>
          <bdi>{words.by(createdBy.displayName)}</bdi> · {words.ends}{' '}
          {Date.parse(expiresAt) <= now ? (
            <StateMark state="off">{words.hasEnded}</StateMark>
          ) : (
            <RelativeTime at={expiresAt} />
          )}
        </span>
      </span>
      <Button size="compact-xs" aria-label={words.revokeOf(displayName)} onClick={onRevoke}>
        {words.revoke}
      </Button>
    </li>
  )
}

interface RevokeProps {
  dashboardId: string
  token: Token
  onClose: () => void
}

function RevokeLink({ dashboardId, token, onClose }: RevokeProps) {
  const words = useWords('kiosk')
  const api = useApi()
  const cache = useQueryClient()
  const revoke = async () => {
    await api.delete('/v1/dashboards/{dashboardId}/api-tokens/{tokenId}', {
      path: { dashboardId, tokenId: token.id },
      signal: withTimeout(),
    })
    for (const queryKey of [['dashboard-links'], ['api-tokens']]) void cache.invalidateQueries({ queryKey })
  }
  return (
    <ConfirmByName
      isOpen
      onClose={onClose}
      title={words.revokeTitle}
      name={token.displayName}
      action={words.revoke}
      onConfirm={revoke}
    >
      <p>{words.revokeText}</p>
    </ConfirmByName>
  )
}
