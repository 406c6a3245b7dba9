import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { postPage } from '../../api/post-page.ts'
import { useFormat } from '../../format.ts'
import { LongList } from '../../parts/LongList.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { Notice } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { useWords } from '../../words/words.tsx'
import { ObjectName } from '../access/ObjectName.tsx'
import { type Privilege, privileges } from '../access/privileges.ts'
import { withTimeout } from '../devices/timeout.ts'
import styles from './People.module.css'

/** Organizations that are read for one privilege, those of them that are named in its row, and by a step of the list. */
const READ = 1000
const NAMED = 3
const STEP = 50

interface Held {
  privilege: Privilege
  /** Absent until they are read, and if they cannot be. */
  organizationIds: string[] | undefined
  hasMore: boolean
  isPending: boolean
}

/** Where a user or a group holds each privilege. */
export function PrivilegesTab({ type, id }: { type: 'user' | 'group'; id: string }) {
  const { privileges: words } = useWords('people')
  const common = useWords('common')
  const cache = useQueryClient()
  const { rows, error } = useHeldPrivileges({ type, id })
  const retry = () =>
    cache.refetchQueries({
      queryKey: ['privileges', type, id],
      predicate: ({ state }) => state.status === 'error',
    })
  return (
    <div className={styles.tab}>
      <p className={styles.note}>{type === 'user' ? words.text : words.textGroup}</p>
      {error !== null && (
        <div className={styles.panel}>
          <Refusal error={error} />
          <Button onClick={() => void retry()}>{common.retry}</Button>
        </div>
      )}
      <DataTable
        name="privileges"
        label={words.label}
        source={shownRows(rows, { isLoading: rows.every(({ isPending }) => isPending) && error === null })}
        columns={useColumns()}
        rowKey={({ privilege }) => privilege}
        rowName={({ privilege }) => privilege}
        fit="content"
        empty={null}
      />
    </div>
  )
}

function useHeldPrivileges(subject: { type: 'user' | 'group'; id: string }) {
  const api = useApi()
  return useQueries({
    queries: privileges.map((privilege) => ({
      queryKey: ['privileges', subject.type, subject.id, privilege],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        postPage(api, '/v1/privileges/query', {
          query: { limit: READ },
          body: { subjectType: subject.type, subjectId: subject.id, privilege },
          signal: withTimeout(signal),
        }),
    })),
    combine: (results) => ({
      error: results.find(({ error }) => error !== null)?.error ?? null,
      rows: results.map(({ data, isPending }, index): Held => ({
        privilege: privileges[index]!,
        organizationIds: data?.answer.flatMap(({ organizationId }) => organizationId ?? []),
        hasMore: data !== undefined && data.cursor !== null,
        isPending,
      })),
    }),
  })
}

function useColumns(): Column<Held>[] {
  const words = useWords('people')
  const access = useWords('access')
  return [
    {
      id: 'privilege',
      title: words.privileges.privilege,
      width: 'minmax(140px, 1fr)',
      render: ({ privilege }) => access.privileges[privilege] ?? privilege,
    },
    {
      id: 'where',
      title: words.privileges.where,
      width: 'minmax(140px, 2fr)',
      isOnPhone: true,
      render: (held) => !held.isPending && <Where held={held} />,
    },
  ]
}

function Where({ held: { organizationIds, hasMore } }: { held: Held }) {
  const { privileges: words } = useWords('people')
  const format = useFormat()
  const [isOpen, list] = useDisclosure()
  if (organizationIds === undefined) return <span className={styles.note}>{words.unknown}</span>
  if (organizationIds.length === 0) return <span className={styles.note}>{words.nowhere}</span>
  const rest = organizationIds.length - NAMED
  return (
    <span className={styles.organizations}>
      {organizationIds.slice(0, NAMED).map((id) => (
        <ObjectName key={id} type="organization" id={id} />
      ))}
      {rest > 0 && (
        <Button size="compact-xs" onClick={list.open}>
          {words.more(hasMore ? words.orMore(format.number(rest)) : format.number(rest))}
        </Button>
      )}
      <Modal opened={isOpen} onClose={list.close} title={words.where}>
        <LongList
          items={organizationIds}
          step={STEP}
          className={styles.all}
          itemKey={(id) => id}
          render={(id) => <ObjectName type="organization" id={id} />}
        />
        {hasMore && <Notice kind="warning">{words.firstOf(format.number(organizationIds.length))}</Notice>}
      </Modal>
    </span>
  )
}
