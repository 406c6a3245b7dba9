import { useDisclosure } from '@mantine/hooks'
import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { StateMark } from '../../parts/StateMark.tsx'
import { RelativeTime } from '../../parts/time/RelativeTime.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { useWords } from '../../words/words.tsx'
import { type Device, findState, stateKinds } from './connection.ts'
import styles from './Devices.module.css'

/** Whether a device is connected, since when, and why not. */
export function DeviceFacts({ device }: { device: Device }) {
  const words = useWords('devices')
  const format = useFormat()
  const [isOpen, why] = useDisclosure()
  const { connection } = device
  const state = findState(device)
  const at = connection.connected ? connection.connectedAt : connection.disconnectedAt
  const isRefused = connection.refusedAt !== null && (at === null || connection.refusedAt > at)
  const reason = isRefused ? connection.refusedMessage : connection.disconnectMessage
  const reasonAt = isRefused ? connection.refusedAt : connection.disconnectedAt
  return (
    <>
      <StateMark state={stateKinds[state]}>{words[state]}</StateMark>
      {at !== null && <RelativeTime at={at} />}
      {connection.connected && <code>{connection.remoteAddress}</code>}
      {device.firmwareRelease !== null && (
        <PageAnchor
          link={links.device(device.providerId, device.id, { tab: 'firmware' })}
          className={styles.cut}
          title={device.firmwareRelease}
        >
          {words.firmware} <bdi>{device.firmwareRelease}</bdi>
        </PageAnchor>
      )}
      {!connection.connected && reason !== null && <WhyButton onClick={why.open} />}
      <WhyPanel
        isOpen={isOpen}
        onClose={why.close}
        title={isRefused ? words.refusedTitle : words.cutTitle}
        reason={<bdi>{reason}</bdi>}
        code={(isRefused ? connection.refusedReason : connection.disconnectReason) ?? undefined}
        facts={reasonAt === null ? [] : [[words.at, format.full(reasonAt)]]}
      />
    </>
  )
}
