import { Button, Modal } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { postPage } from '../../api/post-page.ts'
import { useFormat } from '../../format.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { Loading, Notice } from '../../parts/State.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Access.module.css'
import { ImpactList } from './ImpactList.tsx'
import { TupleLine } from './TupleLine.tsx'
import type { Tuple } from './objects.ts'
import { invalidateAccess } from './invalidate.ts'

/** Users whose losses one request finds out. */
const PAGE = 20
/** Each user is evaluated for all types of objects, with the relation and without. */
const TIMEOUT_MS = 60_000

/** Says who would lose what if a relation were taken away, and takes it away. */
export default function TakeDialog({ tuple, onClose }: { tuple: Tuple; onClose: () => void }) {
  const words = useWords('access')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const user = useUser()
  const impact = useInfiniteQuery({
    queryKey: ['relation-impact', tuple],
    queryFn: ({ pageParam, signal }) =>
      postPage(api, '/v1/relations/impact', {
        query: { limit: PAGE, cursor: pageParam },
        body: tuple,
        signal: withTimeout(signal, TIMEOUT_MS),
        timeoutMs: TIMEOUT_MS,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
  const take = useMutation({
    mutationFn: () => api.post('/v1/relations/delete', { body: tuple, signal: withTimeout() }),
    onSuccess: () => {
      invalidateAccess(cache)
      onClose()
    },
  })
  const isSelf = tuple.subjectType === 'user' && tuple.subjectId === user.id
  return (
    <Modal opened onClose={onClose} size="lg" title={words.take.title}>
      <div className={styles.fields}>
        <TupleLine tuple={tuple} />
        {isSelf && <Notice kind="warning">{words.take.self}</Notice>}
        {impact.isPending ? (
          <>
            <p className={styles.note}>{words.take.looking}</p>
            <Loading rows={3} />
          </>
        ) : impact.data === undefined ? (
          <Refusal error={impact.error} />
        ) : (
          <>
            <ImpactList
              answers={impact.data.pages.map(({ answer }) => answer)}
              hasMore={impact.hasNextPage}
            />
            {impact.hasNextPage && (
              <Looked count={impact.data.pages.length * PAGE}>
                <Button loading={impact.isFetchingNextPage} onClick={() => void impact.fetchNextPage()}>
                  {words.take.more}
                </Button>
              </Looked>
            )}
            {impact.isFetchNextPageError && <Refusal error={impact.error} />}
          </>
        )}
        {take.error !== null && <Refusal error={take.error} />}
        <div className={styles.dialogActions}>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button
            variant="filled"
            color="red"
            disabled={impact.data === undefined}
            loading={take.isPending}
            onClick={() => take.mutate()}
          >
            {words.take.action}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

function Looked({ count, children }: { count: number; children: ReactNode }) {
  const words = useWords('access')
  const format = useFormat()
  return (
    <p className={styles.more}>
      <span className={styles.note}>{words.take.reachesMore(format.number(count))}</span>
      {children}
    </p>
  )
}
