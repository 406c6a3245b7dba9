import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { Name } from '../../parts/Id.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import type { Resource } from './resource.ts'

type Entry = Resource['history']['entries'][number]

/** As many as the API has in a record. [docs/files#resources] */
const MOST_ENTRIES = 20

/** Who created and changed a file, and when. */
export default function HistoryTab({ resource }: { resource: Resource }) {
  const { history: words } = useWords('files')
  const { entries } = resource.history
  const columns: Column<Entry>[] = [
    {
      id: 'at',
      title: words.at,
      width: 'minmax(112px, 160px)',
      render: ({ at }) => <RelativeTime at={at} />,
    },
    {
      id: 'action',
      title: words.action,
      width: 'minmax(96px, 1fr)',
      isOnPhone: true,
      render: ({ action }) => words.actions[action] ?? action,
    },
    {
      id: 'actor',
      title: words.actor,
      width: 'minmax(120px, 3fr)',
      isOnPhone: true,
      render: (entry) => <Actor entry={entry} />,
    },
  ]
  return (
    <DataTable
      name="file-history"
      label={words.title}
      source={shownRows(entries)}
      columns={columns}
      rowKey={({ at, action }) => `${at} ${action}`}
      rowName={({ at }) => at}
      partial={entries.length === MOST_ENTRIES ? words.cut(MOST_ENTRIES) : undefined}
      empty={<Empty icon="files" title={words.noneTitle} />}
    />
  )
}

/** The name of a user whom the viewer may see; else the type and the id. */
function Actor({ entry: { actorType, actorId } }: { entry: Entry }) {
  const api = useApi()
  const { data } = useQuery({
    queryKey: ['user-name', actorId],
    enabled: actorType === 'user' && actorId !== null,
    queryFn: async ({ signal }) =>
      (await api.get('/v1/users/{userId}', { path: { userId: actorId! }, signal: withTimeout(signal) }))
        .displayName,
    staleTime: 300_000,
    retry: false,
  })
  return <Name>{data ?? [actorType, actorId].filter(Boolean).join(' ')}</Name>
}
