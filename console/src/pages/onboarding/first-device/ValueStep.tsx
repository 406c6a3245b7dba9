import { Button, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { links } from '../../../links.ts'
import { Icon } from '../../../parts/Icon.tsx'
import type { DeviceValues } from '../../../parts/doctor/use-device-values.ts'
import { Empty } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from './Flow.module.css'
import { SignalChart } from './SignalChart.tsx'

interface Props {
  deviceId: string
  providerId: string | null
  values: DeviceValues
  onCode: () => void
  onAnother: () => void
}

/** A chart of the first values, with links to the next tasks. */
export function ValueStep({ deviceId, providerId, values, onCode, onAnother }: Props) {
  const words = useWords('firstDevice')
  if (providerId === null)
    return <Empty icon="info" title={words.elsewhereTitle} text={words.elsewhereText} />
  if (values.size === 0)
    return (
      <Empty
        icon="live"
        title={words.waitingTitle}
        text={words.waitingText}
        action={<Button onClick={onCode}>{words.toCode}</Button>}
      />
    )
  return (
    <>
      <div className={styles.charts}>
        {[...values].map(([name, events]) => (
          <SignalChart key={name} name={name} events={events} />
        ))}
      </div>
      <Group mt="lg">
        <Button
          variant="filled"
          renderRoot={(props) => (
            <Link {...props} {...(links.device(providerId, deviceId) as { to: string })} />
          )}
        >
          {words.openDevice}
        </Button>
        <Button leftSection={<Icon name="plus" />} onClick={onAnother}>
          {words.another}
        </Button>
      </Group>
    </>
  )
}
