import { Button, Drawer } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { Name } from '../../parts/Id.tsx'
import { Outdated } from '../../parts/Outdated.tsx'
import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { shownRows, usePagedList } from '../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { text, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import type { Device } from './connection.ts'
import styles from './Devices.module.css'
import { FirmwareUpdate, type Update, updateMarks } from './FirmwareUpdate.tsx'

const route = '/v1/providers/{providerId}/clients/{clientId}/firmware-updates'
const fields = { update: text() }
const RUNNING_MS = 10_000
const NEWEST = 20
const PAGE = 100

const isOpen = ({ status }: Update) => status === 'Running' || status === 'Ready'

/** The running or else the newest update of the device, and the history of its updates. */
export default function FirmwareTab({ device }: { device: Device }) {
  const { firmwareTab: words } = useWords('devices')
  const api = useApi()
  const router = useRouter()
  const path = { providerId: device.providerId, clientId: device.id }
  const newest = useQuery({
    queryKey: ['firmware-updates', 'newest', path],
    queryFn: ({ signal }) => api.page(route, { path, query: { limit: NEWEST }, signal }),
    refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? RUNNING_MS : false),
  })
  if (newest.isPending) return <Loading />
  if (newest.data === undefined) return <Failed error={newest.error} onRetry={() => void newest.refetch()} />
  const { items, cursor } = newest.data
  const present = items.find(({ status }) => status === 'Running') ?? items[0]
  const deploy = (
    <Button
      className={styles.start}
      onClick={() => void router.navigate(links.newDeployment({ device: device.id }) as never)}
    >
      {words.deploy}
    </Button>
  )
  if (present === undefined)
    return <Empty icon="firmware" title={words.emptyTitle} text={words.emptyText} action={deploy} />
  return (
    <div className={styles.scroll}>
      {newest.error !== null && <Outdated error={newest.error} onRetry={() => void newest.refetch()} />}
      <UpdateHead update={present} />
      <FirmwareUpdate update={present} />
      {deploy}
      <h2 className={styles.subtitle}>{words.history}</h2>
      <History device={device} newest={items} isWhole={cursor === null} />
    </div>
  )
}

function UpdateHead({ update: { kind, releaseName, status } }: { update: Update }) {
  const { firmwareTab: words } = useWords('devices')
  return (
    <div className={styles.answerHead}>
      <h2 className={styles.subtitle}>
        {words[kind]} {releaseName !== null && <bdi>{releaseName}</bdi>}
      </h2>
      <StateMark state={updateMarks[status]}>{words.states[status]}</StateMark>
    </div>
  )
}

/** @param props.newest newest updates, refreshed while an update runs; all are read only if there are more */
function History({ device, newest, isWhole }: { device: Device; newest: Update[]; isWhole: boolean }) {
  const { firmwareTab: words } = useWords('devices')
  const common = useWords('common')
  const api = useApi()
  const [{ update: id }, change] = useUrlState(fields)
  const path = { providerId: device.providerId, clientId: device.id }
  const all = usePagedList<Update>(
    ['firmware-updates', 'all', path],
    (cursor, signal) => api.page(route, { path, query: { limit: PAGE, cursor }, signal }),
    { isEnabled: !isWhole },
  )
  const source = isWhole ? shownRows(newest) : all
  const chosen = source.rows.find((update) => update.id === id)
  return (
    <>
      <DataTable
        name="firmware-history"
        label={words.history}
        source={source}
        columns={useHistoryColumns()}
        rowKey={(update) => update.id}
        rowName={({ kind, releaseName }) => `${words[kind]} ${releaseName ?? ''}`}
        rowLink={(update) =>
          links.device(device.providerId, device.id, { tab: 'firmware', update: update.id })
        }
        empty={<Empty icon="firmware" title={words.emptyTitle} text={words.emptyText} />}
        fit="content"
      />
      <Drawer
        opened={chosen !== undefined}
        onClose={() => void change({ update: '' })}
        size="lg"
        title={words.panelTitle}
        closeButtonProps={{ 'aria-label': common.close }}
      >
        {chosen !== undefined && (
          <div className={styles.half}>
            <UpdateHead update={chosen} />
            <FirmwareUpdate update={chosen} />
          </div>
        )}
      </Drawer>
    </>
  )
}

function useHistoryColumns(): Column<Update>[] {
  const { firmwareTab: words } = useWords('devices')
  return useMemo(
    () => [
      {
        id: 'release',
        title: words.release,
        width: 'minmax(120px, 2fr)',
        render: ({ releaseName }) => (releaseName === null ? words.noRelease : <Name>{releaseName}</Name>),
      },
      {
        id: 'status',
        title: words.state,
        width: 'minmax(112px, 136px)',
        isOnPhone: true,
        render: ({ status }) => <StateMark state={updateMarks[status]}>{words.states[status]}</StateMark>,
      },
      { id: 'kind', title: words.kind, width: 'minmax(96px, 136px)', render: ({ kind }) => words[kind] },
      {
        id: 'ended',
        title: words.ended,
        width: 'minmax(96px, 160px)',
        render: ({ endedAt }) => (endedAt === null ? words.notYet : <RelativeTime at={endedAt} />),
      },
      {
        id: 'deployment',
        title: words.deployment,
        width: 'minmax(120px, 2fr)',
        render: ({ deploymentName }) => <Name>{deploymentName}</Name>,
      },
    ],
    [words],
  )
}
