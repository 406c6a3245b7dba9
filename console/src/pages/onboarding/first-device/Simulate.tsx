import { Button } from '@mantine/core'
import type { Gangway } from '@gangway/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import type { Patient } from '../../../parts/doctor/use-doctor.ts'
import { Refusal } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import styles from './Flow.module.css'

/** Starts a simulated device on the server, for users without hardware. */
export function Simulate({ patient, onOther }: { patient: Patient; onOther: (deviceId: string) => void }) {
  const words = useWords('firstDevice')
  const api = useApi()
  const [running, setRunning] = useState<string | null>(null)
  const start = useMutation({
    mutationFn: () => startSimulation(api, patient, words.simulationName),
    onSuccess: ({ id, deviceId }) => {
      setRunning(id)
      if (deviceId !== patient.deviceId) onOther(deviceId)
    },
  })
  const stop = useMutation({
    mutationFn: (simulationId: string) =>
      api.post('/v1/simulations/{simulationId}/stop', { path: { simulationId } }),
    onSuccess: () => setRunning(null),
  })
  const failure = start.error ?? stop.error
  return (
    <div className={styles.simulate}>
      <p className={styles.label}>{words.noDevice}</p>
      <p className={styles.note}>{words.simulateText}</p>
      {failure !== null && <Refusal error={failure} />}
      {running === null ? (
        <Button loading={start.isPending} onClick={() => start.mutate()}>
          {words.simulate}
        </Button>
      ) : (
        <Button loading={stop.isPending} onClick={() => stop.mutate(running)}>
          {words.stopSimulation}
        </Button>
      )}
    </div>
  )
}

const FIRST = '0001'

/** Simulated devices have ids of a prefix and a number. The prepared device is simulated if its id has that form. */
async function startSimulation(api: Gangway, { deviceId, providerId }: Patient, displayName: string) {
  const prefix = deviceId.endsWith(FIRST) ? deviceId.slice(0, -FIRST.length) : `${deviceId}-`
  const path = { providerId: providerId! }
  const [{ organizationId }, simulations] = await Promise.all([
    api.get('/v1/providers/{providerId}', { path }),
    api.page('/v1/simulations', { query: { limit: 100 } }),
  ])
  const known = simulations.items.find(({ deviceIdPrefix }) => deviceIdPrefix === prefix)
  const { id, state } =
    known ??
    (await api.post('/v1/simulations', {
      body: {
        displayName,
        organizationId,
        providerId: providerId!,
        deviceIdPrefix: prefix,
        count: 1,
        intervalSeconds: 2,
        signals: [
          {
            name: 'temperature',
            generator: 'sine',
            amplitude: 4,
            offset: 21,
            periodSeconds: 120,
            noise: 0.2,
          },
          { name: 'running', generator: 'constant', value: true },
        ],
      },
    }))
  if (state === 'stopped')
    await api.post('/v1/simulations/{simulationId}/start', { path: { simulationId: id } })
  return { id, deviceId: prefix + FIRST }
}
