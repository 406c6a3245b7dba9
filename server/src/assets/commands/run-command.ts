/**
 * Runs one command: claims it, sends it and stores the response. If a node dies in between, the command was sent at most
 * once.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { holdsUnstorableText, isTooDeep } from '../../lib/json-limits.ts'
import { getProviderKind } from '../../providers/kinds/get-provider-kind.ts'
import type { MethodResponse } from '../../providers/pending-methods.ts'
import type { LocatedClient } from '../bindings/located-client.ts'
import { addRetryJob, addSettleJob, RETRY_MS, settleTime } from './settle-command.ts'
import { findResponseProblem } from './payloads.ts'
import type { CommandEvent } from './states.ts'
import type { CommandRow } from '../../database/tables/commands.ts'
import { toJson, updateCommand } from './store.ts'

const STORE_TRIES = 20
const STORE_AGAIN_MS = 1000

/**
 * @returns undefined if another call has claimed the command; otherwise `outcome`, which resolves when the response is
 * stored and never rejects
 */
export async function runCommand(
  ctx: Context,
  command: CommandRow,
  client: LocatedClient,
): Promise<{ outcome: Promise<void> } | undefined> {
  const claimed = await claim(ctx, command)
  if (!claimed) return undefined
  const ref = { tenantId: client.tenant_id, providerId: client.provider_id, clientId: client.id }
  // The command is sent before this function returns, so that the next claimed command is sent after it.
  const answer = getProviderKind(client.provider_type).invokeMethod(ctx, ref, {
    componentId: command.method_component_id,
    method: command.method!,
    payload: command.method_payload,
    timeoutSeconds: command.timeout_seconds,
    correlationId: command.correlation_id,
  })
  return { outcome: settle(ctx, claimed, client, answer) }
}

/** The settle job commits with the claim, so that the command ends even if this node dies. */
const claim = (ctx: Context, { id }: CommandRow): Promise<CommandRow | undefined> =>
  ctx.db.transaction().execute(async (tx) => {
    const claimed = await updateCommand(tx, id, 'sent', { status_message: null })
    if (claimed) await addSettleJob(tx, id, settleTime(claimed))
    return claimed
  })

async function settle(
  ctx: Context,
  command: CommandRow,
  client: LocatedClient,
  answer: Promise<MethodResponse>,
): Promise<void> {
  const outcome = await answer.then(readAnswer, (error: unknown) => readError(ctx, command, error))
  for (let tries = 1; ; tries++)
    try {
      return await store(ctx, command, client, await checkResponse(ctx, command, outcome))
    } catch (error) {
      ctx.log.warn({ err: error, commandId: command.id }, 'the outcome of a command cannot be stored')
      // The settle job ends the command as timed out.
      if (tries === STORE_TRIES) return
      await sleep(STORE_AGAIN_MS, undefined, { ref: false })
    }
}

interface CommandOutcome {
  event: CommandEvent
  message?: string
  payload?: unknown
}

function readAnswer({ status, payload }: MethodResponse): CommandOutcome {
  const event = status >= 200 && status <= 299 ? 'done' : 'refused'
  const message = event === 'refused' ? `The device answered with status ${status}.` : undefined
  if (!isTooDeep(payload) && !holdsUnstorableText(payload)) return { event, message, payload }
  const unkept = 'Its payload cannot be stored: it nests too deep, or holds NUL or broken Unicode.'
  return { event, message: message ? `${message} ${unkept}` : unkept }
}

/** A successful response that does not fit the model counts as failed; its payload is stored all the same. */
async function checkResponse(
  { db }: Context,
  command: CommandRow,
  outcome: CommandOutcome,
): Promise<CommandOutcome> {
  if (outcome.event !== 'done' || outcome.payload === undefined) return outcome
  const message = await findResponseProblem(db, command, outcome.payload)
  return message ? { ...outcome, event: 'refused', message } : outcome
}

function readError({ log }: Context, command: CommandRow, error: unknown): CommandOutcome {
  if (!(error instanceof ApiError)) {
    log.error({ err: error, commandId: command.id }, 'a command failed')
    return { event: 'refused', message: 'internal_error: The log of the server has the details.' }
  }
  const message = `${error.code}: ${error.message}`
  if (error.code === 'device_timeout') return { event: 'unanswered', message }
  // The device was offline. [docs/assets#commands]
  const waits = error.code === 'device_offline' && command.expires_after_seconds > 0
  return { event: waits ? 'unsent' : 'refused', message }
}

const store = (
  ctx: Context,
  { id }: CommandRow,
  client: LocatedClient,
  outcome: CommandOutcome,
): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const { event, message = null, payload } = outcome
    const row = await updateCommand(tx, id, event, {
      status_message: message,
      response_payload: toJson(payload),
    })
    if (row?.status !== 'queued') return
    await addSettleJob(tx, id, row.expires_at)
    // A device of the broker is noticed when it connects. Remote providers do not report that, so they are retried.
    if (client.on_broker) return
    await addRetryJob(tx, client, RETRY_MS)
  })
