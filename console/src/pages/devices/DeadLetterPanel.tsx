import { Drawer } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { CodeBlock } from '../../parts/code/CodeBlock.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { Facts } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import type { Device } from './connection.ts'
import styles from './Devices.module.css'
import { TryParser } from './TryParser.tsx'

interface Props {
  device: Device
  deadLetterId: string
  onClose: () => void
}

/** Panel with a complete dead letter, the reason for it, and a form that tries another parser. */
export function DeadLetterPanel({ device, deadLetterId, onClose }: Props) {
  const { messages: words } = useWords('devices')
  const common = useWords('common')
  const format = useFormat()
  const api = useApi()
  const path = { providerId: device.providerId, clientId: device.id, deadLetterId }
  const letter = useQuery({
    queryKey: ['dead-letter', path],
    queryFn: ({ signal }) =>
      api.get('/v1/providers/{providerId}/clients/{clientId}/dead-letters/{deadLetterId}', {
        path,
        signal,
      }),
    staleTime: Infinity,
  })
  return (
    <Drawer
      opened
      onClose={onClose}
      size="lg"
      title={words.panelTitle}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {letter.isPending && <Loading />}
      {letter.error !== null && <Failed error={letter.error} onRetry={() => void letter.refetch()} />}
      {letter.data !== undefined && (
        <div className={styles.half}>
          <Facts
            entries={[
              [words.reason, <bdi key="reason">{letter.data.message}</bdi>],
              [common.code, <code key="code">{letter.data.reason}</code>],
              [words.received, format.full(letter.data.receivedAt)],
              [words.topic, <bdi key="topic">{letter.data.topic}</bdi>],
              [words.size, format.bytes(letter.data.payloadBytes)],
            ]}
          />
          <div>
            <h3 className={styles.label}>{words.whole}</h3>
            {letter.data.payloadEncoding !== 'utf8' && <p className={styles.note}>{words.asBase64}</p>}
            <CodeBlock code={letter.data.payload} name={words.payload} />
          </div>
          <TryParser device={device} path={path} />
        </div>
      )}
    </Drawer>
  )
}
