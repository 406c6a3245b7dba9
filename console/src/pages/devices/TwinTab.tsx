import { Button, Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { useLatestValues } from '../../live/use-latest-values.ts'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import type { Device } from './connection.ts'
import { DesiredEditor, type DesiredTarget } from './DesiredEditor.tsx'
import styles from './Devices.module.css'
import { withTimeout } from './timeout.ts'
import { isDifferent, listTwinRows, type Properties, withoutVersion } from './twin-changes.ts'
import { TwinTable } from './TwinTable.tsx'

const fields = { edit: choice(['off', 'on']), only: choice(['all', 'differences']) }
/** Desired and reported properties of the device, side by side. */
export default function TwinTab({ device }: { device: Device }) {
  const { twin: words } = useWords('devices')
  const common = useWords('common')
  const format = useFormat()
  const [{ edit, only }, change] = useUrlState(fields)
  const twin = useTwin(device)
  const target = useDesiredTarget(device)
  if (twin.isPending) return <Loading />
  if (twin.data === undefined) return <Failed error={twin.error} onRetry={() => void twin.refetch()} />
  const { desired, reported } = twin.data
  if (edit === 'on')
    return (
      <DesiredEditor
        target={target}
        desired={desired}
        onClose={() => {
          void twin.refetch()
          void change({ edit: 'off' })
        }}
      />
    )
  const rows = listTwinRows(withoutVersion(desired), withoutVersion(reported))
  const wrong = rows.filter(isDifferent)
  const editButton = (
    <Button variant="filled" onClick={() => void change({ edit: 'on' })}>
      {words.edit}
    </Button>
  )
  if (rows.length === 0)
    return <Empty icon="devices" title={words.emptyTitle} text={words.emptyText} action={editButton} />
  return (
    <>
      {twin.error !== null && <Notice kind="warning">{common.refreshFailed}</Notice>}
      <div className={styles.bar}>
        <p>
          {words.differences(wrong.length)} ({common.asOf(format.time(twin.dataUpdatedAt))})
        </p>
        <Checkbox
          label={words.onlyDifferences}
          checked={only === 'differences'}
          onChange={(event) => void change({ only: event.currentTarget.checked ? 'differences' : 'all' })}
        />
        <Button onClick={() => void twin.refetch()} loading={twin.isFetching}>
          {common.refresh}
        </Button>
        {editButton}
      </div>
      <TwinTable
        rows={only === 'differences' ? wrong : rows}
        versions={{ desired: Number(desired.$version), reported: Number(reported.$version) }}
      />
    </>
  )
}

/** Desired and reported properties, read again when the device reports. */
function useTwin({ providerId, id }: Device) {
  const api = useApi()
  const path = { providerId, clientId: id }
  const { values } = useLatestValues([id])
  const reports = [...values.values()].filter(({ timeseriesType }) => timeseriesType === 'propertyReported')
  const newest = reports.reduce((latest, { time }) => (time > latest ? time : latest), '')
  return useQuery({
    queryKey: ['twin', providerId, id, newest],
    queryFn: async ({ signal }) => {
      const options = { path, signal: withTimeout(signal) }
      const [desired, reported] = await Promise.all([
        api.get('/v1/providers/{providerId}/clients/{clientId}/properties/desired', options),
        api.get('/v1/providers/{providerId}/clients/{clientId}/properties/reported', options),
      ])
      return { desired: desired as Properties, reported: reported as Properties }
    },
    placeholderData: (previous) => previous,
  })
}

const desiredRoute = '/v1/providers/{providerId}/clients/{clientId}/properties/desired'

function useDesiredTarget({ providerId, id }: Device): DesiredTarget {
  const api = useApi()
  const path = { providerId, clientId: id }
  return {
    draft: `twin-${providerId}-${id}`,
    queryKey: ['twin', providerId, id],
    read: () => api.get(desiredRoute, { path, signal: withTimeout() }),
    // The properties are wrapped, since a property may have the name of a field of the request.
    save: (properties) => api.put(desiredRoute, { path, body: { properties }, signal: withTimeout() }),
  }
}
