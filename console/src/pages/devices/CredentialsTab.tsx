import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type Answer, ApiError } from '@gangway/client'
import { useEffect, useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { ConfirmByName } from '../../parts/ConfirmByName.tsx'
import { Id } from '../../parts/Id.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { Empty, Notice } from '../../parts/State.tsx'
import { useNow } from '../../parts/use-now.ts'
import { WhyPanel } from '../../parts/why/WhyPanel.tsx'
import { WhyButton } from '../../parts/why/WhyButton.tsx'
import { useWords } from '../../words/words.tsx'
import type { Device } from './connection.ts'
import styles from './Devices.module.css'

const route = '/v1/providers/{providerId}/clients/{clientId}/credentials'
type Keys = Answer<'get', typeof route>

/** Time after which shown keys are hidden again. Keys are not cached. */
const SHOWN_MS = 60_000

export default function CredentialsTab({ device }: { device: Device }) {
  const { credentials: words } = useWords('devices')
  const api = useApi()
  const [shown, setShown] = useState<{ keys: Keys; untilMs: number } | null>(null)
  const [isLoading, setLoading] = useState(false)
  const [isRotated, setRotated] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const [isRotating, rotation] = useDisclosure()
  const [isWhy, why] = useDisclosure()
  const path = { providerId: device.providerId, clientId: device.id }
  const present = (keys: Keys) => setShown({ keys, untilMs: Date.now() + SHOWN_MS })
  const show = async () => {
    setLoading(true)
    setFailure(null)
    try {
      present(await api.get(route, { path }))
    } catch (error) {
      setFailure(error)
    } finally {
      setLoading(false)
    }
  }
  const rotate = async () => {
    present(await api.post(`${route}/rotate`, { path }))
    setRotated(true)
  }
  if (failure instanceof ApiError && failure.status === 409)
    return <Empty icon="info" title={words.none} text={`${words.noneText} ${failure.message}`} />
  return (
    <div className={styles.half}>
      <p className={styles.note}>{words.text}</p>
      {isRotated && <Notice kind="info">{words.rotated}</Notice>}
      <dl className={styles.keys}>
        {(['primary', 'secondary'] as const).map((slot) => (
          <Key key={slot} name={words[slot]} value={shown?.keys[`${slot}Key`]} />
        ))}
      </dl>
      {shown !== null && <Hiding untilMs={shown.untilMs} onEnd={() => setShown(null)} />}
      {failure !== null && (
        <div>
          <Refusal error={failure} />
          {failure instanceof ApiError && failure.status === 403 && <WhyButton onClick={why.open} />}
        </div>
      )}
      <div className={styles.answerHead}>
        {shown === null ? (
          <Button loading={isLoading} onClick={() => void show()}>
            {words.show}
          </Button>
        ) : (
          <Button onClick={() => setShown(null)}>{words.hide}</Button>
        )}
        <Button color="red" variant="outline" onClick={rotation.open}>
          {words.rotate}
        </Button>
      </div>
      <ConfirmByName
        isOpen={isRotating}
        onClose={rotation.close}
        title={words.rotateTitle}
        name={device.id}
        action={words.rotate}
        onConfirm={rotate}
      >
        <p>{words.rotateText}</p>
      </ConfirmByName>
      {isWhy && (
        <WhyPanel
          isOpen
          onClose={why.close}
          error={failure}
          permission={{ resourceType: 'provider_client', resourceId: device.id, permission: 'manage' }}
        />
      )}
    </div>
  )
}

function Key({ name, value }: { name: string; value: string | undefined }) {
  const { credentials: words } = useWords('devices')
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {value === undefined ? (
          <span className={styles.none}>{words.hidden}</span>
        ) : (
          <Id value={value} name={name} />
        )}
      </dd>
    </>
  )
}

function Hiding({ untilMs, onEnd }: { untilMs: number; onEnd: () => void }) {
  const { credentials: words } = useWords('devices')
  const format = useFormat()
  const now = useNow(1000)
  useEffect(() => {
    const timer = setTimeout(onEnd, untilMs - Date.now())
    return () => clearTimeout(timer)
  }, [untilMs])
  const restMs = Math.max(1000, Math.ceil((untilMs - now) / 1000) * 1000)
  return <p className={styles.blank}>{words.hiding(format.duration(restMs))}</p>
}
