/** Commands and their outcomes. Times come from the database, so that all nodes agree on what is due. */
import { type Kysely, sql, type Updateable } from 'kysely'
import { pageAfter } from '../../database/page.ts'
import type { CommandRow, CommandStatus } from '../../database/tables/commands.ts'
import type { Tables } from '../../database/tables.ts'
import { orNotFound } from '../../http/errors.ts'
import type { PageRequest } from '../../http/page.ts'
import { newId } from '../../lib/ids.ts'
import { type CommandEvent, findTransition } from './states.ts'
import type { CommandTarget } from './target.ts'

/** Identifies a command of an asset, or of one of its components; `''` is the asset itself. */
export interface CommandPlace {
  assetNumber: number
  componentId: string
  name: string
}

export interface NewCommand extends CommandPlace {
  payload: unknown
  expiresAfterSeconds: number
  timeoutSeconds: number
  /** The target, or the reason why there is none. */
  target: CommandTarget | string
}

/** A command that may not wait gets this long, since another node may hold the device's session. */
const HANDOVER_SECONDS = 5

export function insertCommand(tx: Kysely<Tables>, command: NewCommand): Promise<CommandRow> {
  const { assetNumber, componentId, name, payload, expiresAfterSeconds, timeoutSeconds, target } = command
  const common = {
    id: newId(),
    asset_number: assetNumber,
    component_id: componentId,
    name,
    request_payload: toJson(payload),
    correlation_id: newId(),
    expires_after_seconds: expiresAfterSeconds,
    expires_at: sql<Date>`now() + make_interval(secs => ${Math.max(expiresAfterSeconds, HANDOVER_SECONDS)})`,
    timeout_seconds: timeoutSeconds,
  }
  const rest =
    typeof target === 'string'
      ? { status: 'failed' as const, status_message: target, responded_at: sql<Date>`now()` }
      : {
          status: 'queued' as const,
          client_number: target.client.number,
          method_component_id: target.componentId,
          method: target.method,
          method_payload: toJson(target.payload),
        }
  return tx
    .insertInto('asset_commands')
    .values({ ...common, ...rest })
    .returningAll()
    .executeTakeFirstOrThrow()
}

const selectCommands = (db: Kysely<Tables>, { assetNumber, componentId, name }: CommandPlace) =>
  db
    .selectFrom('asset_commands')
    .selectAll()
    .where('asset_number', '=', assetNumber)
    .where('component_id', '=', componentId)
    .where('name', '=', name)

export const findCommand = (db: Kysely<Tables>, id: string): Promise<CommandRow | undefined> =>
  db.selectFrom('asset_commands').selectAll().where('id', '=', id).executeTakeFirst()

/** @throws not_found if the command was never sent */
export async function getLastCommand(db: Kysely<Tables>, place: CommandPlace): Promise<CommandRow> {
  return orNotFound(
    await selectCommands(db, place).orderBy('id', 'desc').limit(1).executeTakeFirst(),
    'sent command',
    place.name,
  )
}

/** Returns the command with the id; without an id the latest queued one, or else the latest one. @throws not_found */
export async function getCancellable(
  db: Kysely<Tables>,
  place: CommandPlace,
  id: string | undefined,
): Promise<CommandRow> {
  return orNotFound(
    await selectCommands(db, place)
      .$if(id !== undefined, (q) => q.where('id', '=', id!))
      .orderBy(sql`status = 'queued'`, 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
    'sent command',
    id ?? place.name,
  )
}

/** Lists the newest first, with one row more than the page's limit if more follow. */
export const listCommands = (
  db: Kysely<Tables>,
  place: CommandPlace,
  page: PageRequest,
): Promise<CommandRow[]> => pageAfter(selectCommands(db, place), 'id', page, 'desc')

/** Lists the queued commands of a client in the order of creation. */
export const listQueued = (db: Kysely<Tables>, clientNumber: number): Promise<CommandRow[]> =>
  db
    .selectFrom('asset_commands')
    .selectAll()
    .where('client_number', '=', clientNumber)
    .where('status', '=', 'queued')
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('id')
    .execute()

export async function countQueued(db: Kysely<Tables>, clientNumber: number): Promise<number> {
  const { count } = await db
    .selectFrom('asset_commands')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('client_number', '=', clientNumber)
    .where('status', '=', 'queued')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Lists which of these clients, or of all clients, have queued commands. */
export const listClientsWithQueued = async (
  db: Kysely<Tables>,
  clientNumbers?: number[],
): Promise<{ number: number; id: string }[]> =>
  db
    .selectFrom('provider_clients')
    .select(['number', 'id'])
    .where('on_broker', '=', true)
    .where('number', 'in', (eb) =>
      eb
        .selectFrom('asset_commands')
        .select('client_number')
        .where('status', '=', 'queued')
        .$narrowType<{ client_number: number }>()
        .$if(clientNumbers !== undefined, (q) =>
          q.where('client_number', '=', (e) => e.fn.any(e.val(clientNumbers!))),
        ),
    )
    .execute()

/**
 * Applies an event to a command. No other function changes a command's state.
 * @returns undefined if the command is not in the event's `from` state, because another process was faster
 */
export function updateCommand(
  db: Kysely<Tables>,
  id: string,
  event: CommandEvent,
  changes: Pick<Updateable<Tables['asset_commands']>, 'status_message' | 'response_payload'> = {},
): Promise<CommandRow | undefined> {
  const { from, to } = findTransition(event)
  return db
    .updateTable('asset_commands')
    .set({ ...changes, status: to, ...changedTimes(to) })
    .where('id', '=', id)
    .where('status', '=', from)
    .returningAll()
    .executeTakeFirst()
}

const changedTimes = (to: CommandStatus) => {
  if (to === 'running') return { started_at: sql<Date>`now()` }
  return { responded_at: to === 'queued' ? null : sql<Date>`now()` }
}

export const deleteOldCommands = async (db: Kysely<Tables>, days: number): Promise<void> =>
  void (await db
    .deleteFrom('asset_commands')
    .where('requested_at', '<', sql<Date>`now() - make_interval(days => ${days})`)
    .execute())

export const toJson = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value)
