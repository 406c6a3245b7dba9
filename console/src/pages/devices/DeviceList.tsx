import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { listExample } from '../../parts/code/example.ts'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { Empty } from '../../parts/State.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { CreateButton } from '../access/CreateButton.tsx'
import type { Device } from './connection.ts'
import { resolveSince } from './since.ts'
import { useDeviceColumns } from './use-device-columns.tsx'
import { type DeviceListState, fields, useDeviceFilters } from './use-device-filters.ts'

const CreateDevice = lazyPart(() => import('./CreateDevice.tsx'))

const all = '/v1/provider-clients'
const ofProvider = '/v1/providers/{providerId}/clients'
/** The first page is there soon; as large as the server allows, the others reach 100,000 devices with 101 requests. */
const PAGE = { first: 100, later: 1000 }
/** Refresh interval of the connection states, within the thousand requests an hour of each account. */
const REFRESH_MS = 60_000
const RARELY_CHANGED = 300_000
const none: never[] = []

/** List of the devices of all providers, or of one. */
export default function DeviceList() {
  const words = useWords('devices')
  const api = useApi()
  const [state, change] = useUrlState(fields)
  const [isCreating, creation] = useDisclosure()
  const known = useQuery({
    queryKey: ['providers'],
    queryFn: ({ signal }) => api.get('/v1/providers', { query: { limit: 100 }, signal }),
    staleTime: RARELY_CHANGED,
  })
  const providers = known.data ?? none
  const query = useQueryParameters(state)
  const path = { providerId: state.provider }
  const source = usePagedList<Device>(
    ['devices', state.provider, query],
    (cursor, signal) => {
      const page = { ...query, cursor, limit: cursor === undefined ? PAGE.first : PAGE.later }
      return state.provider === ''
        ? api.page(all, { query: page, signal })
        : api.page(ofProvider, { path, query: page, signal })
    },
    { refreshMs: REFRESH_MS },
  )
  const columns = useDeviceColumns(state.provider === '' && providers.length > 1 ? providers : none)
  const filters = useDeviceFilters({ state, change, providers })
  const create = providers.length > 0 && (
    <CreateButton privilege="provider_client_management" onClick={creation.open}>
      {words.create.action}
    </CreateButton>
  )
  const example =
    state.provider === '' ? listExample(all, { query }) : listExample(ofProvider, { path, query })
  return (
    <ListPage
      title={words.title}
      text={source.rows.length === 0 ? words.what : undefined}
      actions={
        <>
          <CodeExamples requests={[example]} />
          {create}
        </>
      }
    >
      <DataTable
        name="devices"
        label={words.title}
        source={source}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ displayName }) => displayName}
        rowLink={(device) => links.device(device.providerId, device.id)}
        search={{ value: state.search, onChange: (search) => void change({ search }), label: words.search }}
        filters={filters}
        empty={<Empty icon="devices" title={words.emptyTitle} text={words.emptyText} action={create} />}
      />
      {isCreating && (
        <PartBoundary>
          <CreateDevice providers={providers} providerId={state.provider} onClose={creation.close} />
        </PartBoundary>
      )}
    </ListPage>
  )
}

/** Query of the list. Relative times are resolved once, so that they are the same for all of its pages. */
const useQueryParameters = (state: DeviceListState) =>
  useMemo(() => {
    const nowMs = Date.now()
    return {
      limit: PAGE.first,
      search: state.search || undefined,
      connected: state.connection === '' ? undefined : state.connection === 'online',
      silentSince: resolveSince(state.silent, nowMs),
      deadLettersSince: resolveSince(state.deadLetters, nowMs),
      firmwareReleaseId: state.firmware || undefined,
    }
  }, [state])
