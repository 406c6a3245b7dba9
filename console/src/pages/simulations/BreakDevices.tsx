import { Button, Select } from '@mantine/core'
import type { Body } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { useFormat } from '../../format.ts'
import { DraftGuard } from '../../parts/form/DraftGuard.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { NumberField } from '../../parts/number/NumberField.tsx'
import { Refusal } from '../../parts/Refusal.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from '../firmware/Firmware.module.css'
import { betweenIds, ValuesInput } from '../firmware/ValuesInput.tsx'
import type { Simulation } from './simulation.ts'

const route = '/v1/simulations/{simulationId}/faults'
type Kind = Body<'post', typeof route>['kind']
const kinds: Kind[] = ['silence', 'spikes', 'offline']
const MAX_SECONDS = 86_400

interface Values {
  kind: Kind
  deviceCount: number | null
  deviceIds: string[]
  durationSeconds: number | null
  factor: number | null
}

const initial: Values = { kind: 'silence', deviceCount: 1, deviceIds: [], durationSeconds: 60, factor: 10 }

/** Lets devices of a running simulation fail for a while. */
export function BreakDevices({ simulation }: { simulation: Simulation }) {
  const { break: words } = useWords('simulations')
  const format = useFormat()
  const api = useApi()
  const cache = useQueryClient()
  const { id: simulationId, count, state } = simulation
  const form = useForm<Values>({
    draft: `break-${simulationId}`,
    initial,
    validate: ({ deviceIds, deviceCount, durationSeconds }) => ({
      ...(deviceIds.length === 0 &&
        (deviceCount === null || deviceCount < 1 || deviceCount > count) && {
          deviceCount: words.countRule(format.number(count)),
        }),
      ...((durationSeconds === null || durationSeconds <= 0 || durationSeconds > MAX_SECONDS) && {
        durationSeconds: words.durationRule,
      }),
    }),
    submit: async ({ kind, deviceIds, deviceCount, durationSeconds, factor }) => {
      await api.post(route, {
        path: { simulationId },
        body: {
          kind,
          durationSeconds: durationSeconds!,
          ...(deviceIds.length > 0 ? { deviceIds } : { deviceCount: deviceCount! }),
          ...(kind === 'spikes' && factor !== null && { factor }),
        },
        signal: withTimeout(),
      })
      form.reset()
      await cache.invalidateQueries({ queryKey: ['simulation', simulationId] })
    },
  })
  const { values, change } = form
  const isRunning = state === 'running'
  return (
    <form onSubmit={form.onSubmit} noValidate aria-label={words.title} className={styles.panel}>
      <h2 className={styles.subtitle}>{words.title}</h2>
      <p className={styles.quiet}>{isRunning ? words.text : words.notRunning}</p>
      <Select
        label={words.kind}
        description={words.hints[values.kind]}
        allowDeselect={false}
        data={kinds.map((kind) => ({ value: kind, label: words.kinds[kind] }))}
        value={values.kind}
        onChange={(kind) => kind !== null && change({ kind: kind as Kind })}
      />
      <div className={styles.pair}>
        <NumberField
          label={words.count}
          min={1}
          max={count}
          allowDecimal={false}
          disabled={values.deviceIds.length > 0}
          value={values.deviceCount}
          onChange={(deviceCount) => change({ deviceCount })}
          error={form.problem('deviceCount')}
        />
        <NumberField
          label={words.duration}
          min={1}
          value={values.durationSeconds}
          onChange={(durationSeconds) => change({ durationSeconds })}
          error={form.problem('durationSeconds')}
        />
      </div>
      {values.kind === 'spikes' && (
        <NumberField
          label={words.factor}
          value={values.factor}
          onChange={(factor) => change({ factor })}
          error={form.problem('factor')}
        />
      )}
      <ValuesInput
        label={words.ids}
        description={words.idsHint}
        splitChars={betweenIds}
        value={values.deviceIds}
        onChange={(deviceIds) => change({ deviceIds })}
        error={form.problem('deviceIds')}
      />
      <DraftGuard isChanged={form.isChanged && !form.isSubmitting} isKept />
      {form.failure !== null && <Refusal error={form.failure} />}
      <Button type="submit" className={styles.start} loading={form.isSubmitting} disabled={!isRunning}>
        {words.submit}
      </Button>
    </form>
  )
}
