/** Periodic jobs that delete expired data and advance time-driven work. */
import { sql } from 'kysely'
import { deleteExpiredRefreshTokens } from '../access/sign-in/refresh-tokens.ts'
import { deleteForgottenFailures } from '../access/sign-in/failures.ts'
import { deleteOldCommands } from '../assets/commands/store.ts'
import type { Context } from '../context.ts'
import { deleteExpiredDrafts } from '../dashboards/drafts/store.ts'
import { deleteExpiredVersions } from '../dashboards/versions/store.ts'
import { deletePastRateWindows } from '../http/rate-limit.ts'
import { deletePastOpenings } from '../ingest/stream/session-openings.ts'
import { deletePastCircuits } from '../jobs/circuits.ts'
import type { Tasks } from '../jobs/jobs.ts'
import { deleteOldConnectionEvents } from '../mqtt/connection-events/connection-events.ts'
import { deletePastDeliveries } from '../notifications/deliveries/store.ts'
import { deleteExpiredFormerSamples } from '../timeseries/storage/former/delete-former.ts'
import { deleteExpiredPacked } from '../timeseries/storage/packed/delete-packed.ts'
import { deleteExpiredKept } from '../timeseries/storage/packed/kept-rollups.ts'
import { dropExpiredPartitions, prepareUpcomingPartitions } from '../timeseries/storage/partitions.ts'
import { deleteExpiredResets } from '../users/password/reset-store.ts'

/** Providers do not repeat events after this time. */
const PROVIDER_EVENT_DAYS = 30
const COMMAND_DAYS = 400

/** Unreadable messages of the ingest stream are kept for this time. */
const UNREADABLE_BATCH_DAYS = 30

/** Times are UTC. */
export const crontab = `
17 3 * * * drop-expired-telemetry
27 3 * * * cut-expired-telemetry
7 23 * * * prepare-telemetry
* * * * * move-former-samples
23 * * * * pack-samples
37 3 * * * delete-expired
47 3 * * * delete-expired-dead-letters
* * * * * check-alarm-silence
* * * * * advance-deployments
* * * * * poll-firmware-updates
* * * * * expire-mqtt-sessions
* * * * * announce-expiring-certificates
57 3 * * * sweep-files
`

export const housekeepingTasks = (ctx: Context): Tasks => ({
  'drop-expired-telemetry': async () => {
    await dropExpiredPartitions(ctx.pool, ctx.log)
    await deleteExpiredPacked(ctx.pool)
    await deleteExpiredKept(ctx.pool)
    await deleteExpiredFormerSamples(ctx.pool)
  },
  'prepare-telemetry': async () => void (await prepareUpcomingPartitions(ctx.pool, ctx.log)),
  'delete-expired': async () => {
    await deleteForgottenFailures(ctx.db)
    await deleteExpiredRefreshTokens(ctx.db)
    await deleteExpiredResets(ctx.db)
    await deletePastRateWindows(ctx.pool)
    await deleteOldCommands(ctx.db, COMMAND_DAYS)
    await deletePastDeliveries(ctx.db)
    await deletePastCircuits(ctx.db)
    await sql`delete from ingest_rates where ended_at < now() - interval '1 hour'`.execute(ctx.db)
    await sql`delete from unreadable_batches where received_at < now() - make_interval(days => ${UNREADABLE_BATCH_DAYS})`.execute(
      ctx.db,
    )
    await deletePastOpenings(ctx.db)
    await deleteOldConnectionEvents(ctx.db)
    await deleteExpiredVersions(ctx.db)
    await deleteExpiredDrafts(ctx.db)
    await sql`delete from provider_events where received_at < now() - make_interval(days => ${PROVIDER_EVENT_DAYS})`.execute(
      ctx.db,
    )
  },
})
