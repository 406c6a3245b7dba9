import { Doctor } from '../../../parts/doctor/Doctor.tsx'
import { useDeviceValues } from '../../../parts/doctor/use-device-values.ts'
import { links } from '../../../links.ts'
import { Icon } from '../../../parts/Icon.tsx'
import { PageAnchor } from '../../../parts/PageAnchor.tsx'
import { Notice } from '../../../parts/State.tsx'
import { RelativeTime } from '../../../parts/time/RelativeTime.tsx'
import { useWords } from '../../../words/words.tsx'
import shared from '../Onboarding.module.css'
import type { DeviceTabProps } from './DevicePage.tsx'
import styles from './Devices.module.css'
import type { OnboardingDevice } from './device.ts'

/** The onboarding progress of the device, with its live events beside it. */
export default function TraceTab({ device, group, providerId }: DeviceTabProps) {
  const { device: words } = useWords('onboardingDevices')
  const isProvisioned = device.status === 'provisioned'
  const values = useDeviceValues(isProvisioned && providerId !== null ? device.device_id : null)
  return (
    <div className={styles.halves}>
      <section className={shared.stack} aria-label={words.progress}>
        <h2 className={shared.subtitle}>{words.progress}</h2>
        {device.status === 'deleted' && <Notice kind="warning">{words.deletedText}</Notice>}
        <ProgressList device={device} />
        <p>
          <PageAnchor link={links.group(group.id, { tab: 'template', device: device.device_id })}>
            {words.seePreview}
          </PageAnchor>
        </p>
      </section>
      <Doctor
        patient={{
          deviceId: device.device_id,
          providerId: isProvisioned ? providerId : null,
          groupId: group.id,
        }}
        values={values}
      />
    </div>
  )
}

function ProgressList({ device }: { device: OnboardingDevice }) {
  const { device: words } = useWords('onboardingDevices')
  const steps = [
    { id: 'registered', at: device.created_at },
    { id: 'provisioned', at: device.provisioned_at },
    { id: 'asked', at: device.last_settings_at },
  ] as const
  const next = steps.find(({ at }) => at === null)?.id
  return (
    <ol className={styles.progress}>
      {steps.map(({ id, at }) => (
        <li key={id} data-done={at !== null || undefined}>
          <Icon name={at === null ? 'offline' : 'good'} />
          <div>
            {words.steps[id]} {at === null ? words.notYet : <RelativeTime at={at} />}
            {id === next && id !== 'registered' && <p className={shared.note}>{words.stepHints[id]}</p>}
          </div>
        </li>
      ))}
    </ol>
  )
}
