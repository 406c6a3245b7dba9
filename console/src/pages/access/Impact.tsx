import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { postPage } from '../../api/post-page.ts'
import { useFormat } from '../../format.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { Loading } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Access.module.css'
import { ImpactList } from './ImpactList.tsx'
import type { Tuple } from './objects.ts'

/** Users whose losses one request finds out. */
const PAGE = 20
/** Each user is evaluated for all types of objects, with the relation and without. */
const TIMEOUT_MS = 60_000

/** Finds out who would lose what if a relation were taken away, in pages of users. */
export function useImpact(tuple: Tuple) {
  const api = useApi()
  return useInfiniteQuery({
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
}

/** Who would lose what, as far as it is known. */
export function Impact({ impact }: { impact: ReturnType<typeof useImpact> }) {
  const words = useWords('access')
  if (impact.isPending)
    return (
      <>
        <p className={styles.note}>{words.take.looking}</p>
        <Loading rows={3} />
      </>
    )
  if (impact.data === undefined) return <Refusal error={impact.error} />
  return (
    <>
      <ImpactList answers={impact.data.pages.map(({ answer }) => answer)} hasMore={impact.hasNextPage} />
      {impact.hasNextPage && (
        <Looked count={impact.data.pages.length * PAGE}>
          <Button loading={impact.isFetchingNextPage} onClick={() => void impact.fetchNextPage()}>
            {words.take.more}
          </Button>
        </Looked>
      )}
      {impact.isFetchNextPageError && <Refusal error={impact.error} />}
    </>
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
