import { Modal, Select } from '@mantine/core'
import { useState } from 'react'
import { Failed, Loading, Notice } from '../../parts/State.tsx'
import { useWords } from '../../words/words.tsx'
import styles from './Assets.module.css'
import { type Asset, useBindings } from './contents.ts'
import { labelDevice, ReplaceWith } from './ReplaceWith.tsx'
import { useInstances } from './use-instances.ts'

/** Dialog of an asset that replaces one of its devices, and first lists the affected assets. */
export function ReplaceDevice({ asset, onClose }: { asset: Asset; onClose: () => void }) {
  const { replace: words } = useWords('assets')
  const common = useWords('common')
  const bindings = useBindings(asset.id)
  const ids = (bindings.data?.bindings ?? []).flatMap(({ remoteEndpointIds }) =>
    remoteEndpointIds.map(({ endpointId }) => endpointId.split('/')[0]!),
  )
  const instances = useInstances(ids)
  const clients = [...(instances.data?.values() ?? [])].filter(({ kind }) => kind === 'client')
  const [chosen, setChosen] = useState<string | null>(null)
  const from = chosen ?? (clients.length === 1 ? clients[0]!.id : null)
  const failure = bindings.error ?? instances.error
  const isLoading = bindings.isPending || (ids.length > 0 && instances.isPending)
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={words.title}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      <div className={styles.fields}>
        <p className={styles.note}>{words.text}</p>
        {isLoading ? (
          <Loading rows={2} />
        ) : failure !== null ? (
          <Failed
            error={failure}
            onRetry={() => void Promise.all([bindings.refetch(), instances.refetch()])}
          />
        ) : clients.length === 0 ? (
          <Notice kind="info">{words.noDevice}</Notice>
        ) : (
          <>
            <Select
              label={words.from}
              data={clients.map(({ id, name }) => ({ value: id, label: labelDevice(id, name) }))}
              value={from}
              onChange={setChosen}
            />
            {from !== null && <ReplaceWith key={from} assetId={asset.id} from={from} onClose={onClose} />}
          </>
        )}
      </div>
    </Modal>
  )
}
