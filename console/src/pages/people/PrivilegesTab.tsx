import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueries } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { postPage } from '../../api/post-page.ts'
import { useFormat } from '../../format.ts'
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

/** Organizations that are read for one privilege, and those of them that are named in its row. */
const READ = 1000
const NAMED = 3

interface Held {
  privilege: Privilege
  organizationIds: string[]
  hasMore: boolean
  isPending: boolean
}

/** Where a user or a group holds each privilege. */
export function PrivilegesTab({ type, id }: { type: 'user' | 'group'; id: string }) {
  const { privileges: words } = useWords('people')
  const { rows, error } = useHeldPrivileges({ type, id })
  return (
    <div className={styles.tab}>
      <p className={styles.note}>{type === 'user' ? words.text : words.textGroup}</p>
      {error !== null && <Refusal error={error} />}
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
        organizationIds: (data?.answer ?? []).flatMap(({ organizationId }) => organizationId ?? []),
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
        <ul className={styles.all}>
          {organizationIds.map((id) => (
            <li key={id}>
              <ObjectName type="organization" id={id} />
            </li>
          ))}
        </ul>
        {hasMore && <Notice kind="warning">{words.firstOf(format.number(organizationIds.length))}</Notice>}
      </Modal>
    </span>
  )
}
