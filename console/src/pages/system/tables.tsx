import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { Id, Name } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Empty } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { shownRows } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { useWords } from '../../words/words.tsx'
import type { Health } from './use-health.ts'

type Node = Health['nodes'][number]
type Task = Health['jobs'][number]
type Kind = Health['deliveries'][number]
type Receiver = Health['receivers'][number]
type Letters = Health['deadLetters']

/** The servers that are up. */
export function NodeTable({ rows }: { rows: Node[] }) {
  const { nodes: words } = useWords('system')
  const format = useFormat()
  const columns: Column<Node>[] = [
    {
      id: 'id',
      title: words.id,
      width: 'minmax(160px, 2fr)',
      render: ({ id }) => <Id value={id} name={words.id} />,
    },
    {
      id: 'state',
      title: words.state,
      width: 'minmax(120px, 1.5fr)',
      isOnPhone: true,
      render: ({ isAnswering }) => (
        <StateMark state="good">{isAnswering ? words.answering : words.up}</StateMark>
      ),
    },
    {
      id: 'clients',
      title: words.clients,
      align: 'end',
      render: ({ connectedClients }) => format.number(connectedClients),
    },
    {
      id: 'rate',
      title: words.rate,
      align: 'end',
      render: ({ messagesPerSecond }) => format.number(messagesPerSecond),
    },
  ]
  return (
    <DataTable
      name="nodes"
      label={words.title}
      fit="content"
      source={shownRows(rows)}
      columns={columns}
      rowKey={({ id }) => id}
      rowName={({ id }) => id}
      empty={<Empty icon="devices" title={words.title} />}
    />
  )
}

/** Jobs by task; each count leads to its jobs. */
export function JobTable({ rows }: { rows: Task[] }) {
  const { jobs: words } = useWords('system')
  const format = useFormat()
  const countColumn = (state: 'waiting' | 'running' | 'failed'): Column<Task> => ({
    id: state,
    title: words.states[state],
    align: 'end',
    isOnPhone: state !== 'running',
    render: (row) =>
      row[state] === 0 ? (
        format.number(0)
      ) : (
        <PageAnchor link={links.jobs({ task: row.task, state })}>
          {format.number(row[state])}
          <span className="visually-hidden"> {words.states[state]}</span>
        </PageAnchor>
      ),
  })
  const columns: Column<Task>[] = [
    {
      id: 'task',
      title: words.task,
      width: 'minmax(140px, 2fr)',
      render: ({ task }) => <Name>{task}</Name>,
    },
    countColumn('waiting'),
    countColumn('running'),
    countColumn('failed'),
    {
      id: 'due',
      title: words.oldestDue,
      width: 'minmax(112px, 150px)',
      render: ({ oldestDueAt }) => oldestDueAt !== null && <RelativeTime at={oldestDueAt} />,
    },
    {
      id: 'failed-at',
      title: words.oldestFailed,
      width: 'minmax(112px, 150px)',
      render: ({ oldestFailedAt }) => oldestFailedAt !== null && <RelativeTime at={oldestFailedAt} />,
    },
  ]
  return (
    <DataTable
      name="tasks"
      label={words.title}
      fit="content"
      source={shownRows(rows)}
      columns={columns}
      rowKey={({ task }) => task}
      rowName={({ task }) => task}
      empty={<Empty icon="good" title={words.noneTitle} text={words.noneText} />}
    />
  )
}

/** Deliveries by kind of receiver. */
export function DeliveryTable({ rows }: { rows: Kind[] }) {
  const { deliveries: words } = useWords('system')
  const format = useFormat()
  const columns: Column<Kind>[] = [
    {
      id: 'kind',
      title: words.kind,
      width: 'minmax(140px, 2fr)',
      render: ({ kind }) => words.kinds[kind] ?? kind,
    },
    {
      id: 'waiting',
      title: words.waiting,
      align: 'end',
      isOnPhone: true,
      render: ({ waiting }) => format.number(waiting),
    },
    {
      id: 'paused',
      title: words.paused,
      align: 'end',
      isOnPhone: true,
      render: ({ pausedReceivers }) =>
        pausedReceivers === 0 ? (
          format.number(0)
        ) : (
          <StateMark state="warning">{format.number(pausedReceivers)}</StateMark>
        ),
    },
  ]
  return (
    <DataTable
      name="receivers"
      label={words.title}
      fit="content"
      source={shownRows(rows)}
      columns={columns}
      rowKey={({ kind }) => kind}
      rowName={({ kind }) => words.kinds[kind] ?? kind}
      empty={<Empty icon="good" title={words.title} />}
    />
  )
}

/** As many as the API lists. [docs/operating#health] */
const MOST_RECEIVERS = 100

/** Receivers that do not answer, of all tenants. */
export function ReceiverTable({ rows }: { rows: Receiver[] }) {
  const { deliveries: words } = useWords('system')
  const format = useFormat()
  const columns: Column<Receiver>[] = [
    {
      id: 'kind',
      title: words.kind,
      width: 'minmax(112px, 1fr)',
      render: ({ kind }) => words.kinds[kind] ?? kind,
    },
    {
      id: 'reason',
      title: words.reason,
      width: 'minmax(140px, 3fr)',
      isOnPhone: true,
      render: ({ reason }) => <Name>{reason}</Name>,
    },
    {
      id: 'since',
      title: words.since,
      width: 'minmax(112px, 150px)',
      render: ({ failingSince }) => <RelativeTime at={failingSince} />,
    },
    {
      id: 'retry',
      title: words.retry,
      width: 'minmax(112px, 150px)',
      render: ({ retryAt }) => retryAt !== null && <RelativeTime at={retryAt} />,
    },
    {
      id: 'failures',
      title: words.failures,
      width: '88px',
      align: 'end',
      render: ({ failures }) => format.number(failures),
    },
    {
      id: 'id',
      title: words.id,
      width: 'minmax(140px, 2fr)',
      render: ({ id }) => <Id value={id} name={words.id} />,
    },
  ]
  return (
    <DataTable
      name="failing-receivers"
      label={words.failing}
      fit="content"
      source={shownRows(rows)}
      columns={columns}
      rowKey={({ kind, id }) => `${kind} ${id}`}
      rowName={({ id }) => id}
      partial={rows.length === MOST_RECEIVERS ? words.cut(MOST_RECEIVERS) : undefined}
      empty={<Empty icon="good" title={words.title} />}
    />
  )
}

/** Unreadable messages by tenant; only those of the own tenant can be looked at. */
export function DeadLetterTable({ letters, ownTenantId }: { letters: Letters; ownTenantId: string }) {
  const { deadLetters: words } = useWords('system')
  const format = useFormat()
  const columns: Column<Letters['tenants'][number]>[] = [
    {
      id: 'tenant',
      title: words.tenant,
      width: 'minmax(140px, 2fr)',
      render: ({ tenantId }) => (
        <PageAnchor link={links.tenant(tenantId)}>
          <Name>{tenantId}</Name>
        </PageAnchor>
      ),
    },
    {
      id: 'messages',
      title: words.messages,
      align: 'end',
      isOnPhone: true,
      render: ({ tenantId, messages }) =>
        tenantId === ownTenantId ? (
          <PageAnchor link={links.devices({ deadLetters: letters.since })}>
            {format.number(messages)}
          </PageAnchor>
        ) : (
          format.number(messages)
        ),
    },
  ]
  return (
    <DataTable
      name="dead-letters-by-tenant"
      label={words.title}
      fit="content"
      source={shownRows(letters.tenants)}
      columns={columns}
      rowKey={({ tenantId }) => tenantId}
      rowName={({ tenantId }) => tenantId}
      empty={<Empty icon="good" title={words.title} />}
    />
  )
}
