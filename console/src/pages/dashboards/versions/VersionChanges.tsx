import { ApiError } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Loading } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import { Differences } from '../../audit/Differences.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../EntryList.module.css'
import { type Change, listChanges } from './list-changes.ts'

interface Props {
  dashboardId: string
  version: number
}

/** What a version has changed against the one before. */
export function VersionChanges({ dashboardId, version }: Props) {
  const words = useWords('dashboards')
  const after = useVersion(dashboardId, version)
  const before = useVersion(dashboardId, version - 1)
  const [next, last] = [after.data, before.data]
  const changes = useMemo(
    () =>
      next?.data && last?.data
        ? listChanges({ ...last, data: last.data }, { ...next, data: next.data })
        : null,
    [next, last],
  )
  const error = after.error ?? before.error
  if (error !== null) return <Refusal error={error} />
  if (next === undefined || last === undefined) return <Loading rows={2} />
  if (changes === null) return <p className={styles.note}>{words.nothingBefore}</p>
  if (changes.length === 0) return <p className={styles.note}>{words.noChange}</p>
  return (
    <ul className={styles.changes} aria-label={words.changesOf(version)}>
      {changes.map((change) => (
        <li key={change.key}>
          <ChangeLine change={change} />
        </li>
      ))}
    </ul>
  )
}

function ChangeLine({ change: { key, kind, widget, field, differences } }: { change: Change }) {
  const words = useWords('dashboards')
  const { title, id = key, kind: kindName } = (widget ?? {}) as Record<string, unknown>
  const known = words.kinds[kindName as keyof typeof words.kinds] ?? kindName
  const name = typeof title === 'string' && title !== '' ? title : String(id)
  return (
    <>
      <p>
        {words.changes[kind]}:{' '}
        <strong>
          <bdi>{field ?? name}</bdi>
        </strong>
        {typeof known === 'string' && ` (${known})`}
      </p>
      {differences.length > 0 && (
        <Differences differences={differences.map((one) => ({ ...one, path: one.path || (field ?? '') }))} />
      )}
    </>
  )
}

/** One version; null once it is kept no more, and before the first one. */
export function useVersion(dashboardId: string, version: number) {
  const api = useApi()
  return useQuery({
    queryKey: ['dashboard-version', dashboardId, version],
    queryFn: ({ signal }) =>
      version < 1
        ? null
        : api
            .get('/v1/dashboards/{dashboardId}/versions/{version}', {
              path: { dashboardId, version },
              signal: withTimeout(signal),
            })
            .catch((error: unknown) => {
              if (error instanceof ApiError && error.status === 404) return null
              throw error
            }),
    staleTime: Infinity,
  })
}
