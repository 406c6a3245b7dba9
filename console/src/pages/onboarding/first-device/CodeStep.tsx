import { Button } from '@mantine/core'
import type { Gangway } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../../api/ApiProvider.tsx'
import { DeviceCode } from '../../../parts/device-code/DeviceCode.tsx'
import { findOnboardingOrigin } from '../../../parts/device-code/find-onboarding-origin.ts'
import { loadAuthority } from '../../../parts/device-code/load-authority.ts'
import type { Filled } from '../../../parts/device-code/snippet.ts'
import { deriveKey } from '../../../parts/doctor/CureButtons.tsx'
import type { DeviceValues } from '../../../parts/doctor/use-device-values.ts'
import type { Patient } from '../../../parts/doctor/use-doctor.ts'
import { Failed, Loading, Notice } from '../../../parts/State.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from './Flow.module.css'
import type { Known, Target } from './setup.ts'
import { Simulate } from './Simulate.tsx'

interface Props {
  known: Known
  target: Target
  patient: Patient
  values: DeviceValues
  onValue: () => void
  /** Called if the simulation runs another device than the prepared one. */
  onOther: (deviceId: string) => void
}

/** Example code for the device, filled with its real addresses and keys. */
export function CodeStep({ known, target, patient, values, onValue, onOther }: Props) {
  const words = useWords('firstDevice')
  const api = useApi()
  const filled = useQuery({
    queryKey: ['first-device', patient, 'code'],
    queryFn: () => fill(api, { known, target, patient }),
    // The keys are read once, because the audit log records each reading.
    staleTime: Infinity,
    gcTime: 0,
    meta: { isReadOnce: true },
  })
  return (
    <>
      {values.size > 0 && (
        <div className={styles.arrived}>
          <Notice kind="info">{words.valueArrived}</Notice>
          <Button variant="filled" onClick={onValue}>
            {words.showValue}
          </Button>
        </div>
      )}
      <DeviceCode isOnboarded filled={filled.data}>
        {filled.isPending && <Loading rows={4} />}
        {filled.error !== null && <Failed error={filled.error} onRetry={() => void filled.refetch()} />}
      </DeviceCode>
      {patient.providerId !== null && <Simulate patient={patient} onOther={onOther} />}
    </>
  )
}

async function fill(
  api: Gangway,
  { known, target, patient }: { known: Known; target: Target; patient: Patient },
): Promise<Filled> {
  const { host, port } = target.brokers[0]!
  const isTls =
    port === 8883 || String(port) === new URL(known.endpoints.mqtts.replace('mqtts:', 'http:')).port
  const { deviceId, providerId } = patient
  const [onboardingKey, credentials, ca] = await Promise.all([
    deriveKey(api, patient),
    providerId === null
      ? null
      : api.get('/v1/providers/{providerId}/clients/{clientId}/credentials', {
          path: { providerId, clientId: deviceId },
        }),
    loadAuthority(api),
  ])
  return {
    origin: findOnboardingOrigin(known.endpoints),
    platformOrigin: location.origin,
    host,
    port,
    isTls,
    deviceId,
    onboardingKey,
    brokerKey: credentials?.primaryKey ?? '',
    ca,
  }
}
