import { Button } from '@mantine/core'
import type { Gangway } from '@gangway/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { CodeBlock } from '../../parts/code/CodeBlock.tsx'
import { writeCurl } from '../../parts/code/example.ts'
import { DeviceCode } from '../../parts/device-code/DeviceCode.tsx'
import { loadAuthority } from '../../parts/device-code/load-authority.ts'
import type { Filled } from '../../parts/device-code/snippet.ts'
import { Doctor } from '../../parts/doctor/Doctor.tsx'
import { useDeviceValues } from '../../parts/doctor/use-device-values.ts'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Empty, Failed, Loading, Notice } from '../../parts/State.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { isLoopback, readPort } from '../onboarding/first-device/setup.ts'
import type { Device } from './connection.ts'
import styles from './Devices.module.css'

const fields = { keys: choice(['', 'shown']) }
const ASKED_FOR = 60_000

/** Code for the device with its credentials, and beside it a live diagnosis of its connection. */
export default function ConnectTab({ device }: { device: Device }) {
  const { connect: words } = useWords('devices')
  const api = useApi()
  const [{ keys }, change] = useUrlState(fields)
  const [watchSinceMs] = useState(() => Date.now() - ASKED_FOR)
  const values = useDeviceValues(device.id)
  const provider = useQuery({
    queryKey: ['provider', device.providerId],
    queryFn: ({ signal }) =>
      api.get('/v1/providers/{providerId}', { path: { providerId: device.providerId }, signal }),
    staleTime: Infinity,
  })
  const filled = useQuery({
    queryKey: ['device-code', device.providerId, device.id],
    queryFn: () => fill(api, device),
    enabled: keys === 'shown' && provider.data?.type === 'mqtt',
    // Keys are not cached; they are read only once, since each read is recorded in the audit log.
    staleTime: Infinity,
    gcTime: 0,
    meta: { isReadOnce: true },
  })
  if (provider.isPending) return <Loading />
  if (provider.data === undefined)
    return <Failed error={provider.error} onRetry={() => void provider.refetch()} />
  if (provider.data.type === 'import') return <SendByHttp device={device} />
  if (provider.data.type !== 'mqtt')
    return <Empty icon="info" title={words.elsewhereTitle} text={words.elsewhereText} />
  return (
    <div className={styles.halves}>
      <section className={styles.half} aria-label={words.title}>
        <h2 className={styles.subtitle}>{words.title}</h2>
        {values.size > 0 && (
          <Notice kind="info">
            {words.arrived}{' '}
            <PageAnchor link={links.device(device.providerId, device.id)} className={styles.inText}>
              {words.seeValues}
            </PageAnchor>
          </Notice>
        )}
        {keys === 'shown' ? (
          <DeviceCode isOnboarded={false} filled={filled.data}>
            {filled.isPending && <Loading rows={4} />}
            {filled.error !== null && <Failed error={filled.error} onRetry={() => void filled.refetch()} />}
          </DeviceCode>
        ) : (
          <>
            <p className={styles.note}>{words.text}</p>
            <div>
              <Button variant="filled" onClick={() => void change({ keys: 'shown' })}>
                {words.show}
              </Button>
            </div>
          </>
        )}
      </section>
      <Doctor
        patient={{ deviceId: device.id, providerId: device.providerId }}
        values={values}
        watchSinceMs={watchSinceMs}
      />
    </div>
  )
}

/** Example request for a device of another protocol, whose gateway calls the API. */
function SendByHttp({ device: { providerId, id } }: { device: Device }) {
  const { connect: words } = useWords('devices')
  const common = useWords('common')
  const request = {
    method: 'post' as const,
    path: '/v1/providers/{providerId}/clients/{clientId}/telemetry',
    options: { path: { providerId, clientId: id }, body: { temperature: 21.5 } },
  }
  return (
    <section className={styles.half} aria-label={words.send}>
      <h2 className={styles.subtitle}>{words.send}</h2>
      <p className={styles.note}>{words.sendText}</p>
      <CodeBlock code={writeCurl(request, location.origin)} name={words.send} />
      <p className={styles.note}>{common.tokenHint}</p>
    </section>
  )
}

/** Reads the values for the code. The device connects to the host of this page, with TLS unless it is this machine. */
async function fill(api: Gangway, { providerId, id }: Device): Promise<Filled> {
  const isLocal = isLoopback(location.hostname)
  const [endpoints, credentials, ca] = await Promise.all([
    api.get('/v1/endpoints'),
    api.get('/v1/providers/{providerId}/clients/{clientId}/credentials', {
      path: { providerId, clientId: id },
    }),
    isLocal ? '' : loadAuthority(api),
  ])
  return {
    origin: location.origin,
    platformOrigin: location.origin,
    host: location.hostname,
    port: Number(readPort(isLocal ? endpoints.mqtt : endpoints.mqtts)),
    isTls: !isLocal,
    deviceId: id,
    onboardingKey: null,
    brokerKey: credentials.primaryKey,
    ca,
  }
}
