import { Drawer } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { links } from '../../../links.ts'
import { Id, Name } from '../../../parts/Id.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Empty, Notice } from '../../../parts/State.tsx'
import { StateMark } from '../../../parts/StateMark.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import type { Column } from '../../../parts/table/types.ts'
import { usePagedList } from '../../../parts/table/use-paged-list.ts'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import { FirmwareUpdate, updateMarks } from '../../devices/FirmwareUpdate.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import {
  type DeploymentDetails,
  type DeploymentUpdate,
  type UpdateStatus,
  updateStates,
} from './deployment.ts'

const route = '/v1/firmware/deployments/{deploymentId}/updates'
const PAGE = 100

interface State {
  status: UpdateStatus | ''
  /** A number, or '' for all. */
  wave: string
  search: string
  /** The id of the update whose log is open. */
  update: string
}

interface Props {
  deployment: DeploymentDetails
  kind: 'failing' | 'update' | 'rollback'
  state: State
  change: (changes: Partial<State>) => Promise<void>
}

/** Updates of a deployment. They are read again whenever the counts have changed. */
export function UpdatesTab({ deployment, kind, state, change }: Props) {
  const words = useWords('deployments')
  const { firmwareTab } = useWords('devices')
  const format = useFormat()
  const api = useApi()
  const { status, wave, search } = state
  const path = { deploymentId: deployment.id }
  const query = useMemo(
    () => ({
      limit: PAGE,
      kind: kind === 'rollback' ? ('rollback' as const) : ('update' as const),
      failing: kind === 'failing' ? true : undefined,
      status: status || undefined,
      wave: wave === '' ? undefined : Number(wave),
      search: search || undefined,
    }),
    [kind, status, wave, search],
  )
  const cache = useQueryClient()
  const counts = kind === 'rollback' ? deployment.rollbacks : deployment.counts
  const source = usePagedList<DeploymentUpdate>(
    ['deployment-updates', deployment.id, query],
    (cursor, signal) => api.page(route, { path, query: { ...query, cursor }, signal: withTimeout(signal) }),
  )
  // Progress of the rollout reads the shown rows again; many of them would spend the requests of the account.
  const { readAgain } = source
  const progress = JSON.stringify(counts)
  useEffect(() => {
    void cache.invalidateQueries({ queryKey: ['deployment-updates', deployment.id, 'one'] })
    readAgain()
  }, [cache, readAgain, progress, deployment.id])
  const listed = source.rows.find(({ id }) => id === state.update)
  const linked = useLinkedUpdate(deployment.id, state.update, source.isLoading || listed !== undefined)
  const offered = kind === 'failing' ? (['Failed', 'Rejected'] as const) : updateStates
  return (
    <>
      <DataTable
        name="deployment-updates"
        label={words.tabs[kind === 'update' ? 'devices' : kind === 'failing' ? 'failing' : 'rollbacks']}
        source={source}
        columns={useColumns()}
        rowKey={({ id }) => id}
        rowName={({ providerClientName }) => providerClientName}
        rowLink={({ id }) =>
          links.deployment(deployment.id, {
            ...(kind !== 'failing' && { tab: kind === 'rollback' ? 'rollbacks' : 'devices' }),
            ...(status !== '' && { status }),
            ...(wave !== '' && { wave }),
            ...(search !== '' && { search }),
            update: id,
          })
        }
        search={{
          value: search,
          onChange: (next) => void change({ search: next }),
          label: words.searchDevices,
        }}
        filters={[
          {
            id: 'status',
            label: words.state,
            options: offered.map((value) => ({ value, label: firmwareTab.states[value] })),
            value: status,
            onChange: (next) => void change({ status: next as State['status'] }),
          },
          {
            id: 'wave',
            label: words.wave,
            options: [
              ...deployment.waves.map((each) => ({
                value: String(each.wave),
                label: format.number(each.wave),
              })),
              { value: '0', label: words.outside },
            ],
            value: wave,
            onChange: (next) => void change({ wave: next }),
          },
        ]}
        empty={<Nothing kind={kind} />}
      />
      {linked.isMissing && <Notice kind="warning">{words.noSuchUpdate}</Notice>}
      {linked.error !== null && <Refusal error={linked.error} />}
      <UpdateDrawer
        deployment={deployment}
        update={listed ?? linked.update}
        onClose={() => void change({ update: '' })}
      />
    </>
  )
}

/** The update that the address names, where the list has not been read as far as it. */
function useLinkedUpdate(deploymentId: string, updateId: string, isListed: boolean) {
  const api = useApi()
  const isAsked = updateId !== '' && !isListed
  const { data, error } = useQuery({
    queryKey: ['deployment-updates', deploymentId, 'one', updateId],
    queryFn: ({ signal }) =>
      api.get(route, { path: { deploymentId }, query: { updateId }, signal: withTimeout(signal) }),
    enabled: isAsked,
  })
  if (!isAsked) return { update: undefined, isMissing: false, error: null }
  return { update: data?.[0], isMissing: data?.length === 0, error: data === undefined ? error : null }
}

function Nothing({ kind }: Pick<Props, 'kind'>) {
  const words = useWords('deployments')
  const [title, text] = {
    failing: [words.noFailing, words.noFailingText],
    update: [words.noUpdates, words.noUpdatesText],
    rollback: [words.noRollbacks, words.noRollbacksText],
  }[kind] as [string, string]
  return <Empty icon={kind === 'failing' ? 'good' : 'firmware'} title={title} text={text} />
}

interface DrawerProps {
  deployment: DeploymentDetails
  update: DeploymentUpdate | undefined
  onClose: () => void
}

/** What happened on one device, with its log. */
function UpdateDrawer({ deployment, update, onClose }: DrawerProps) {
  const words = useWords('deployments')
  const { firmwareTab } = useWords('devices')
  const common = useWords('common')
  return (
    <Drawer
      opened={update !== undefined}
      onClose={onClose}
      size="lg"
      title={words.updatePanel}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {update !== undefined && (
        <>
          <h2>
            <bdi>{update.providerClientName}</bdi>
          </h2>
          <p>
            <StateMark state={updateMarks[update.status]}>{firmwareTab.states[update.status]}</StateMark>{' '}
            <PageAnchor link={links.device(update.providerId, update.providerClientId, { tab: 'firmware' })}>
              {words.deviceLink}
            </PageAnchor>{' '}
            <Id value={update.providerClientId} name={words.id} />
          </p>
          <FirmwareUpdate update={{ ...update, deploymentName: deployment.displayName }} />
        </>
      )}
    </Drawer>
  )
}

function useColumns(): Column<DeploymentUpdate>[] {
  const words = useWords('deployments')
  const { firmwareTab } = useWords('devices')
  const format = useFormat()
  return [
    {
      id: 'device',
      title: words.device,
      width: 'minmax(120px, 1.5fr)',
      render: ({ providerClientName }) => <Name>{providerClientName}</Name>,
    },
    {
      id: 'status',
      title: words.state,
      width: 'minmax(120px, 144px)',
      isOnPhone: true,
      render: ({ status }) => <StateMark state={updateMarks[status]}>{firmwareTab.states[status]}</StateMark>,
    },
    {
      id: 'wave',
      title: words.wave,
      width: '72px',
      align: 'end',
      render: ({ wave }) => (wave === 0 ? '–' : format.number(wave)),
    },
    {
      id: 'log',
      title: words.lastLog,
      width: 'minmax(160px, 3fr)',
      render: ({ logs }) => <Name>{logs.at(-1)?.message ?? ''}</Name>,
    },
    {
      id: 'since',
      title: words.since,
      width: 'minmax(96px, 136px)',
      render: ({ startedAt, endedAt }) => {
        const at = endedAt ?? startedAt
        return at === null ? words.notYet : <RelativeTime at={at} />
      },
    },
  ]
}
