import { Button, Group as Row } from '@mantine/core'
import { CodeBlock } from '../../../parts/code/CodeBlock.tsx'
import { Id, Name } from '../../../parts/Id.tsx'
import { Notice } from '../../../parts/State.tsx'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from './Flow.module.css'
import { previewSettings } from './preview-settings.ts'
import type { Group, Known } from './setup.ts'

interface Props {
  step: 'target' | 'device'
  known: Known
  group: Group
  deviceId: string
  onNext: () => void
  onAnother: () => void
}

/** The choice of a completed step. To change it, the user starts with another device. */
export function DoneStep({ step, known, group, deviceId, onNext, onAnother }: Props) {
  const words = useWords('firstDevice')
  const target = known.targets.find(({ id }) => id === group.routing_target_id)
  const broker = target?.brokers[0]
  const setup = {
    targetId: group.routing_target_id,
    host: broker?.host ?? '',
    port: String(broker?.port ?? ''),
    isTls: false,
    groupId: group.id,
    groupName: group.name,
    deviceId,
  }
  return (
    <div className={styles.form}>
      <Notice kind="info">{words.isDone}</Notice>
      {step === 'target' ? (
        <Facts
          entries={[
            [words.target, <Name key="name">{target?.name ?? ''}</Name>],
            [words.host, <Id key="host" value={setup.host} name={words.host} />],
            [words.port, setup.port],
          ]}
        />
      ) : (
        <>
          <Facts
            entries={[
              [words.deviceId, <Id key="id" value={deviceId} name={words.deviceId} />],
              [words.group, <Name key="group">{group.name}</Name>],
            ]}
          />
          <div>
            <p className={styles.label}>{words.preview(deviceId)}</p>
            <CodeBlock code={previewSettings(known, setup)} name={words.preview(deviceId)} />
          </div>
        </>
      )}
      <Row justify="space-between">
        <Button onClick={onAnother}>{words.another}</Button>
        <Button variant="filled" onClick={onNext}>
          {words.next}
        </Button>
      </Row>
    </div>
  )
}
