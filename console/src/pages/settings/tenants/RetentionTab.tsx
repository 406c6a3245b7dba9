import { Button, Checkbox } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useApi } from '../../../api/ApiProvider.tsx'
import { useFormat } from '../../../format.ts'
import { CodeExamples } from '../../../parts/code/CodeExamples.tsx'
import { example } from '../../../parts/code/example.ts'
import { ConfirmByName } from '../../../parts/ConfirmByName.tsx'
import { DraftGuard } from '../../../parts/form/DraftGuard.tsx'
import { NumberField } from '../../../parts/number/NumberField.tsx'
import { Refusal } from '../../../parts/Refusal.tsx'
import { useWords } from '../../../words/words.tsx'
import { withTimeout } from '../../devices/timeout.ts'
import styles from '../Settings.module.css'
import { type Tenant, tenantRoute } from './tenant.ts'
import { WouldDelete, type WouldDeleteAnswer } from './WouldDelete.tsx'

interface Retention {
  telemetryRetentionDays: number | null
  rollupRetentionDays: number | null
}

interface Preview {
  wanted: Retention
  wouldDelete: WouldDeleteAnswer
}

const FIRST_DAYS = 365
const FIRST_ROLLUP_DAYS = 3650
const MAX_DAYS = 36_500
/** The dry run measures all stored telemetry of the tenant. */
const TIMEOUT_MS = 120_000

/** For how long telemetry is kept. What a change would delete is measured before it can be made. */
export function RetentionTab({ tenant }: { tenant: Tenant }) {
  const { tenants: words } = useWords('settings')
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
  const [saves, setSaves] = useState(0)
  const kept = useRef<HTMLParagraphElement>(null)
  const path = { tenantId: tenant.id }
  const body: Retention = {
    telemetryRetentionDays: keepsAll ? null : days,
    rollupRetentionDays: keepsRollups ? rollupDays : null,
  }
  const areRollupsShort = !keepsAll && days !== null && rollupDays !== null && rollupDays <= days
  const isComplete =
    (keepsAll || areDays(days)) && (!keepsRollups || (areDays(rollupDays) && !areRollupsShort))
  const isChanged = isComplete && !isEqual(body, tenant)
  // A measurement may end after the fields were changed again.
  const preview = isChanged && measured && isEqual(body, measured.wanted) ? measured : null
  // The dialog is gone then, and the button that opened it is disabled.
  useEffect(() => {
    if (saves > 0) kept.current?.focus()
  }, [saves])
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
    setSaves(saves + 1)
    void cache.invalidateQueries({ queryKey: ['tenants'] })
    void cache.invalidateQueries({ queryKey: ['storage'] })
  }
  const status = () => {
    if (preview !== null) return <WouldDelete wouldDelete={preview.wouldDelete} />
    if (!isComplete || failure !== null) return null
    return <p className={styles.quiet}>{isChanged ? words.measureFirst : words.noChange}</p>
  }
  return (
    <div className={styles.scroll}>
      <form
        className={styles.fields}
        noValidate
        aria-label={words.tabs.retention}
        onSubmit={(event) => {
          event.preventDefault()
          if (isChanged && !isRunning) void measure()
        }}
      >
        <p ref={kept} tabIndex={-1}>
          {words.now} <Kept retention={tenant} />
        </p>
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
            classNames={{ wrapper: styles.days! }}
            label={words.keepDays}
            description={words.retentionText}
            value={days}
            onChange={(next) => change(() => setDays(next))}
            error={areDays(days) ? undefined : words.daysRule}
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
            classNames={{ wrapper: styles.days! }}
            label={words.rollupDays}
            value={rollupDays}
            onChange={(next) => change(() => setRollupDays(next))}
            error={
              areDays(rollupDays) ? (areRollupsShort ? words.rollupDaysRule : undefined) : words.daysRule
            }
          />
        )}
        <div className={styles.buttons}>
          <Button type="submit" disabled={!isChanged} loading={isRunning}>
            {words.measure}
          </Button>
          <Button variant="filled" disabled={preview === null} onClick={() => setOpen(true)}>
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
        <div role="status">{status()}</div>
      </form>
      <DraftGuard isChanged={!isEqual(body, tenant)} />
      {preview !== null && (
        <ConfirmByName
          isOpen={isOpen}
          onClose={() => setOpen(false)}
          title={words.saveTitle}
          name={tenant.displayName}
          action={words.saveRetention}
          onConfirm={save}
        >
          <div className={styles.fields}>
            <p>
              {words.willBe} <Kept retention={body} />
            </p>
            <WouldDelete wouldDelete={preview.wouldDelete} />
          </div>
        </ConfirmByName>
      )}
    </div>
  )
}

const areDays = (days: number | null): days is number =>
  days !== null && Number.isInteger(days) && days >= 1 && days <= MAX_DAYS

const isEqual = (a: Retention, b: Retention) =>
  a.telemetryRetentionDays === b.telemetryRetentionDays && a.rollupRetentionDays === b.rollupRetentionDays

/** For how long telemetry is kept, in words. */
function Kept({ retention: { telemetryRetentionDays: days, rollupRetentionDays: rollups } }: KeptProps) {
  const { tenants: words } = useWords('settings')
  const format = useFormat()
  return (
    <>
      <strong>{days === null ? words.keepsAll : words.days(days, format.number(days))}</strong>
      {rollups !== null && words.nowRollups(rollups, format.number(rollups))}
    </>
  )
}

interface KeptProps {
  retention: Retention
}
