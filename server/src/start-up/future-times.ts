/**
 * After the clock was set back, stored times lie in the future, and work that waits for them would wait too long. Such
 * times become now; times derived from them keep their distance.
 */
import type pg from 'pg'
import type { Logger } from 'pino'

/** Tolerates the clock differences between servers. */
const FUTURE = `now() + interval '1 minute'`

/** One update for each kind of waiting work; the rows that it changed are counted. */
const repairs: Record<string, string> = {
  'periodic work': `
    update graphile_worker._private_known_crontabs set last_execution = least(last_execution, now()),
      known_since = least(known_since, now())
    where last_execution > ${FUTURE} or known_since > ${FUTURE}`,
  jobs: `
    update graphile_worker._private_jobs set
      run_at = least(run_at, now() + greatest(run_at - greatest(created_at, updated_at), interval '0')),
      created_at = least(created_at, now()), updated_at = least(updated_at, now())
    where created_at > ${FUTURE} or updated_at > ${FUTURE}`,
  'alarms that are open or were': `
    update alarm_statuses set moved_by_time = now() where moved_by_time > ${FUTURE}`,
  // Not later than their jobs, which keep their distance to their creation.
  'alarms that must hold': `
    update alarm_holds h set since = now(), due_at = now() + make_interval(secs => a.for_seconds)
    from alarms a where a.id = h.alarm_id and h.since > ${FUTURE}`,
  simulations: `
    update simulations set lease_until = now() where lease_until > ${FUTURE}`,
  'partitions of ingest': `
    update ingest_nodes set seen_until = now() where seen_until > ${FUTURE}`,
  'desired properties': `
    update desired_deliveries set sending_until = now() where sending_until > now() + interval '5 minutes'`,
  'MQTT sessions': `
    update mqtt_sessions set disconnected_at = now(), expires_at = now() + make_interval(secs => expiry_seconds)
    where disconnected_at > ${FUTURE}`,
  'firmware updates': `
    update firmware_updates set retry_at = least(retry_at, now()), step_set_at = least(step_set_at, now())
    where retry_at > now() + interval '5 minutes' or step_set_at > ${FUTURE}`,
  'receivers that are paused': `
    update receiver_circuits set retry_at = now() where retry_at > now() + interval '15 minutes'`,
  'sign-in': `
    update login_failures set last_failure_at = now() where last_failure_at > ${FUTURE}`,
  'password resets': `
    update password_resets set created_at = now() where created_at > ${FUTURE}`,
}

export async function resetFutureTimes(pool: pg.Pool, log: Logger): Promise<void> {
  const reset: Record<string, number> = {}
  const client = await pool.connect()
  let broken = false
  try {
    // One transaction, so that `now()` is the same for all.
    await client.query('begin')
    for (const [name, repair] of Object.entries(repairs)) {
      const { rowCount } = await client.query(repair)
      if (rowCount) reset[name] = rowCount
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => (broken = true))
    throw error
  } finally {
    client.release(broken)
  }
  if (Object.keys(reset).length > 0)
    log.warn({ settled: reset }, 'stored times in the future were set to now: the clock was set back')
}
