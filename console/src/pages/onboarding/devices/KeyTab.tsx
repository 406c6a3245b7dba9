import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { links } from '../../../links.ts'
import { Id } from '../../../parts/Id.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import shared from '../Onboarding.module.css'
import type { DeviceTabProps } from './DevicePage.tsx'

const SHOWN_MS = 60_000

/** Shows the key of this device on demand; the audit log records each reading. */
export default function KeyTab({ device, group }: DeviceTabProps) {
  const { device: words } = useWords('onboardingDevices')
  const keys = useWords('keys')
  const api = useApi()
  const derive = useMutation({
    mutationFn: async () => {
      const { items } = await api.post('/api/enrollment-groups/{id}/keys/derive', {
        path: { id: group.id },
        body: { device_ids: [device.device_id] },
        signal: withTimeout(),
      })
      return items[0]!
    },
    gcTime: 0,
  })
  const { data: key, reset } = derive
  useEffect(() => {
    if (key === undefined) return
    const timer = setTimeout(reset, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [key, reset])
  const shown: [string, React.ReactNode][] = []
  if (key !== undefined)
    shown.push([keys.slots.primary, <Id key="primary" value={key.primary_key} name={keys.slots.primary} />])
  if (key?.secondary_key != null)
    shown.push([
      keys.slots.secondary,
      <Id key="secondary" value={key.secondary_key} name={keys.slots.secondary} />,
    ])
  return (
    <section className={shared.stack} aria-label={words.tabs.key}>
      <p className={shared.note}>
        {words.keyText}{' '}
        <PageAnchor link={links.group(group.id, { tab: 'keys' })}>{words.openKeys}</PageAnchor>
      </p>
      {shown.length > 0 && <Facts entries={shown} />}
      {shown.length > 0 && <p className={shared.small}>{keys.hidesAgain}</p>}
      {derive.error !== null && <Refusal error={derive.error} />}
      <div>
        {key === undefined ? (
          <Button loading={derive.isPending} onClick={() => derive.mutate()}>
            {words.showKey}
          </Button>
        ) : (
          <Button onClick={reset}>{keys.hide}</Button>
        )}
      </div>
    </section>
  )
}
