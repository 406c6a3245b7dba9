import type { Item } from '@gangway/client'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { Name } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Empty } from '../../parts/State.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'
import type { Column } from '../../parts/table/types.ts'
import { usePagedList } from '../../parts/table/use-paged-list.ts'
import { useWords } from '../../words/words.tsx'
import { labelEndpoint, parseEndpoint } from '../bindings/binding.ts'
import type { Device } from './connection.ts'
import styles from './Devices.module.css'
import { withTimeout } from './timeout.ts'

const route = '/v1/providers/{providerId}/clients/{clientId}/bindings'
type Binding = Item<typeof route>
const PAGE = 100

/** The bindings that read the device or send to it, of assets that the user may see. */
export default function BindingsTab({ device }: { device: Device }) {
  const { bindings: words, tabs } = useWords('devices')
  const api = useApi()
  const path = { providerId: device.providerId, clientId: device.id }
  const source = usePagedList<Binding>(['device-bindings', device.providerId, device.id], (cursor, signal) =>
    api.page(route, { path, query: { limit: PAGE, cursor }, signal: withTimeout(signal) }),
  )
  return (
    <>
      <div className={styles.bar}>
        <p>{words.text}</p>
      </div>
      <DataTable
        name="device-bindings"
        label={tabs.bindings}
        source={source}
        columns={useColumns(device.id)}
        rowKey={({ localEndpointId }) => localEndpointId}
        rowName={({ localEndpointId }) => localEndpointId}
        rowLink={({ assetId, localEndpointId }) => links.binding(assetId, parseEndpoint(localEndpointId))}
        empty={<Empty icon="assets" title={words.emptyTitle} text={words.emptyText} />}
      />
    </>
  )
}

function useColumns(deviceId: string): Column<Binding>[] {
  const { bindings: words } = useWords('devices')
  return [
    {
      id: 'signal',
      title: words.signal,
      width: 'minmax(120px, 1.2fr)',
      render: ({ remoteEndpointIds }) => {
        const own = remoteEndpointIds.map(({ endpointId }) => parseEndpoint(endpointId))
        return (
          <Name>
            {own
              .filter(({ instanceId }) => instanceId === deviceId)
              .map(labelEndpoint)
              .join(', ')}
          </Name>
        )
      },
    },
    {
      id: 'asset',
      title: words.asset,
      width: 'minmax(120px, 1.4fr)',
      isOnPhone: true,
      render: ({ assetId, assetName }) => (
        <PageAnchor link={links.asset(assetId)} tabIndex={-1}>
          <Name>{assetName}</Name>
        </PageAnchor>
      ),
    },
    {
      id: 'target',
      title: words.target,
      width: 'minmax(120px, 1.2fr)',
      render: ({ localEndpointId }) => <Name>{labelEndpoint(parseEndpoint(localEndpointId))}</Name>,
    },
    {
      id: 'state',
      title: words.state,
      width: '104px',
      render: ({ lastError }) =>
        lastError === undefined ? (
          <StateMark state="good">{words.bound}</StateMark>
        ) : (
          <StateMark state="bad">{words.failing}</StateMark>
        ),
    },
    {
      id: 'error',
      title: words.lastError,
      width: 'minmax(140px, 2fr)',
      render: ({ lastError }) => lastError && <Name>{lastError.message}</Name>,
    },
  ]
}
