import { Button, Checkbox } from '@mantine/core'
import type { Answer } from '@gangway/client'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { ConfirmByName } from '../../../parts/ConfirmByName.tsx'
import { NumberField } from '../../../parts/number/NumberField.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { Facts } from '../../../parts/why/WhyPanel.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Settings.module.css'
import { type Tenant, tenantRoute } from './tenant.ts'

type Changed = Answer<'patch', typeof tenantRoute>

interface Retention {
  telemetryRetentionDays: number | null
  rollupRetentionDays: number | null
}

interface Preview {
  wanted: Retention
  wouldDelete: NonNullable<Changed['wouldDelete']>
}

const FIRST_DAYS = 365
const FIRST_ROLLUP_DAYS = 3650
/** The dry run measures all stored telemetry of the tenant. */
const TIMEOUT_MS = 120_000

/** For how long telemetry is kept. What a change would delete is measured before it can be made. */
export function RetentionTab({ tenant }: { tenant: Tenant }) {
  const { tenants: words } = useWords('settings')
  const format = useFormat()
  const api = useApi()
  const cache = useQueryClient()
  const { telemetryRetentionDays: savedDays, rollupRetentionDays: savedRollups } = tenant
  const [keepsAll, setKeepsAll] = useState(savedDays === null)
  const [days, setDays] = useState<number | null>(savedDays ?? FIRST_DAYS)
  const [keepsRollups, setKeepsRollups] = useState(savedRollups !== null)
  const [rollupDays, setRollupDays] = useState<number | null>(savedRollups ?? FIRST_ROLLUP_DAYS)
  const [measured, setMeasured] = useState<Preview | null>(null)
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const [isOpen, setOpen] = useState(false)
  const path = { tenantId: tenant.id }
  const body: Retention = {
    telemetryRetentionDays: keepsAll ? null : days,
    rollupRetentionDays: keepsRollups ? rollupDays : null,
  }
  const areRollupsShort = !keepsAll && days !== null && rollupDays !== null && rollupDays <= days
  const isComplete =
    (keepsAll || days !== null) && (!keepsRollups || (rollupDays !== null && !areRollupsShort))
  const isChanged = isComplete && !isEqual(body, tenant)
  // A measurement may end after the fields were changed again.
  const preview = isChanged && measured && isEqual(body, measured.wanted) ? measured : null
  const change = (apply: () => void) => {
    apply()
    setMeasured(null)
    setFailure(null)
  }
  const measure = async () => {
    setRunning(true)
    setFailure(null)
    try {
      const { wouldDelete } = await api.patch(tenantRoute, {
        path,
        body,
        query: { dryRun: true },
        signal: withTimeout(undefined, TIMEOUT_MS),
        timeoutMs: TIMEOUT_MS,
      })
      setMeasured({ wanted: body, wouldDelete: wouldDelete! })
    } catch (error) {
      setFailure(error)
    } finally {
      setRunning(false)
    }
  }
  const save = async () => {
    // The preview is gone if the fields differ from what was confirmed.
    if (preview === null) return
    const changed = await api.patch(tenantRoute, { path, body, signal: withTimeout() })
    cache.setQueryData(['tenant', tenant.id], changed)
    setMeasured(null)
    void cache.invalidateQueries({ queryKey: ['tenants'] })
    void cache.invalidateQueries({ queryKey: ['storage'] })
  }
  return (
    <div className={styles.scroll}>
      <div className={styles.fields}>
        <p>
          {words.now}{' '}
          <strong>
            {savedDays === null ? words.keepsAll : words.days(savedDays, format.number(savedDays))}
          </strong>
          {savedRollups !== null && words.nowRollups(savedRollups, format.number(savedRollups))}
        </p>
        <p className={styles.quiet}>{words.retentionText}</p>
        <Checkbox
          label={words.keepEverything}
          checked={keepsAll}
          onChange={(event) => {
            const { checked } = event.currentTarget
            change(() => setKeepsAll(checked))
          }}
        />
        {!keepsAll && (
          <NumberField
            label={words.keepDays}
            value={days}
            onChange={(next) => change(() => setDays(next))}
            error={days === null ? words.daysRule : undefined}
          />
        )}
        {(!keepsAll || keepsRollups) && (
          <Checkbox
            label={words.keepRollups}
            description={words.rollupsText}
            checked={keepsRollups}
            onChange={(event) => {
              const { checked } = event.currentTarget
              change(() => setKeepsRollups(checked))
            }}
          />
        )}
        {keepsRollups && (
          <NumberField
            label={words.rollupDays}
            value={rollupDays}
            onChange={(next) => change(() => setRollupDays(next))}
            error={rollupDays === null ? words.daysRule : areRollupsShort ? words.rollupDaysRule : undefined}
          />
        )}
        <div className={styles.buttons}>
          <Button disabled={!isChanged} loading={isRunning} onClick={() => void measure()}>
            {words.measure}
          </Button>
          <Button variant="filled" disabled={!isChanged || preview === null} onClick={() => setOpen(true)}>
            {words.saveRetention}
          </Button>
          <CodeExamples
            requests={[
              example('patch', tenantRoute, { path, body, query: { dryRun: true } }),
              example('patch', tenantRoute, { path, body }),
            ]}
          />
        </div>
        {failure !== null && <Refusal error={failure} />}
        {preview !== null && <WouldDelete preview={preview} />}
        {isChanged && preview === null && <p className={styles.quiet}>{words.measureFirst}</p>}
      </div>
      {preview !== null && (
        <ConfirmByName
          isOpen={isOpen}
          onClose={() => setOpen(false)}
          title={words.saveTitle}
          name={tenant.displayName}
          action={words.saveRetention}
          onConfirm={save}
        >
          <WouldDelete preview={preview} />
        </ConfirmByName>
      )}
    </div>
  )
}

const isEqual = (a: Retention, b: Retention) =>
  a.telemetryRetentionDays === b.telemetryRetentionDays && a.rollupRetentionDays === b.rollupRetentionDays

function WouldDelete({ preview: { wouldDelete } }: { preview: Preview }) {
  const { tenants: words } = useWords('settings')
  const format = useFormat()
  const { before, samples, bytes, isEstimate } = wouldDelete
  const beforeEntry = (time: string): [string, string] => [words.before, format.full(time)]
  if (samples === 0 && bytes === 0)
    return (
      <div className={styles.result} role="status">
        {words.deletesNothing}
      </div>
    )
  return (
    <div className={styles.result} role="status">
      <strong>{samples === 0 ? words.deletesRollups : words.deletes(format.number(samples))}</strong>
      <Facts
        entries={[...(before === null ? [] : [beforeEntry(before)]), [words.frees, format.bytes(bytes)]]}
      />
      <p className={styles.quiet}>
        {isEstimate && `${words.estimate} `}
        {words.noWayBack}
      </p>
    </div>
  )
}
