import { Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { Failed, Loading, Notice } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import { ReplaceWith } from '../assets/ReplaceWith.tsx'
import type { Device } from './connection.ts'
import styles from './Devices.module.css'
import { withTimeout } from './timeout.ts'

/** Dialog that moves what a device feeds to another device, and first lists the affected assets. */
export default function ReplaceThisDevice({ device, onClose }: { device: Device; onClose: () => void }) {
  const { replace: words } = useWords('devices')
  const common = useWords('common')
  const api = useApi()
  const path = { providerId: device.providerId, clientId: device.id }
  // One binding is enough: the replacement moves those of all assets.
  const bindings = useQuery({
    queryKey: ['device-bindings', device.providerId, device.id, 'first'],
    queryFn: ({ signal }) =>
      api.get('/v1/providers/{providerId}/clients/{clientId}/bindings', {
        path,
        query: { limit: 1 },
        signal: withTimeout(signal),
      }),
  })
  const [first] = bindings.data ?? []
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={words.title}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <div className={styles.fields}>
        <p>{words.text}</p>
        {bindings.isPending && <Loading rows={2} />}
        {bindings.isError && <Failed error={bindings.error} onRetry={() => void bindings.refetch()} />}
        {bindings.isSuccess && first === undefined && <Notice kind="info">{words.feedsNothing}</Notice>}
        {first !== undefined && <ReplaceWith assetId={first.assetId} from={device.id} onClose={onClose} />}
      </div>
    </Modal>
  )
}
