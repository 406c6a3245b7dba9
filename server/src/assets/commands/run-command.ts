/** One command on its way: claimed, sent, answered. A process that dies in between has sent it at most once. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { ApiError } from '../../http/errors.ts'
import { holdsUnstorableText, isTooDeep } from '../../lib/json-limits.ts'
import { getProviderKind } from '../../providers/kinds/get-provider-kind.ts'
import type { MethodResponse } from '../../providers/pending-methods.ts'
import type { LocatedClient } from '../bindings/client-of.ts'
import { addRetryJob, addSettleJob, RETRY_MS, settleAt } from './due.ts'
import { unfitResponse } from './payloads.ts'
import type { CommandEvent } from './states.ts'
import type { CommandRow } from '../../database/tables/commands.ts'
import { jsonOf, updateCommand } from './store.ts'

const STORE_TRIES = 20
const STORE_AGAIN_MS = 1000

/**
 * @param outcome settles once the answer is stored; never rejects
 * @returns whether it was this call that sent it
 */
export async function runCommand(
  ctx: Context,
  command: CommandRow,
  client: LocatedClient,
): Promise<{ outcome: Promise<void> } | undefined> {
  const claimed = await claim(ctx, command)
  if (!claimed) return undefined
  const ref = { tenantId: client.tenant_id, providerId: client.provider_id, clientId: client.id }
  // Sent before this function answers, so that what is claimed next is sent after it.
  const answer = getProviderKind(client.provider_type).invokeMethod(ctx, ref, {
    componentId: command.method_component_id,
    method: command.method!,
    payload: command.method_payload,
    timeoutSeconds: command.timeout_seconds,
    correlationId: command.correlation_id,
  })
  return { outcome: settle(ctx, claimed, client, answer) }
}

/** With it is committed when it has to be over, whoever lives then. */
const claim = (ctx: Context, { id }: CommandRow): Promise<CommandRow | undefined> =>
  ctx.db.transaction().execute(async (tx) => {
    const claimed = await updateCommand(tx, id, 'sent', { status_message: null })
    if (claimed) await addSettleJob(tx, id, settleAt(claimed))
    return claimed
  })

async function settle(
  ctx: Context,
  command: CommandRow,
  client: LocatedClient,
  answer: Promise<MethodResponse>,
): Promise<void> {
  const verdict = await answer.then(verdictOfAnswer, (error: unknown) => verdictOfError(ctx, command, error))
  for (let tries = 1; ; tries++)
    try {
      return await store(ctx, command, client, await withCheck(ctx, command, verdict))
    } catch (error) {
      ctx.log.warn({ err: error, commandId: command.id }, 'the outcome of a command cannot be stored')
      // It ends as timed out, by its job.
      if (tries === STORE_TRIES) return
      await sleep(STORE_AGAIN_MS, undefined, { ref: false })
    }
}

interface Verdict {
  event: CommandEvent
  message?: string
  payload?: unknown
}

function verdictOfAnswer({ status, payload }: MethodResponse): Verdict {
  const event = status >= 200 && status <= 299 ? 'done' : 'refused'
  const message = event === 'refused' ? `The device answered with status ${status}.` : undefined
  if (!isTooDeep(payload) && !holdsUnstorableText(payload)) return { event, message, payload }
  const unkept = 'Its payload cannot be stored: it nests too deep, or holds NUL or broken Unicode.'
  return { event, message: message ? `${message} ${unkept}` : unkept }
}

/** A success whose answer is not what the model promises is none for whoever reads it; they see what came. */
async function withCheck({ db }: Context, command: CommandRow, verdict: Verdict): Promise<Verdict> {
  if (verdict.event !== 'done' || verdict.payload === undefined) return verdict
  const message = await unfitResponse(db, command, verdict.payload)
  return message ? { ...verdict, event: 'refused', message } : verdict
}

function verdictOfError({ log }: Context, command: CommandRow, error: unknown): Verdict {
  if (!(error instanceof ApiError)) {
    log.error({ err: error, commandId: command.id }, 'a command failed')
    return { event: 'refused', message: 'internal_error: The log of the server has the rest.' }
  }
  const message = `${error.code}: ${error.message}`
  if (error.code === 'device_timeout') return { event: 'unanswered', message }
  // Nobody was there to send it to. [docs/assets#commands]
  const waits = error.code === 'device_offline' && command.expires_after_seconds > 0
  return { event: waits ? 'unsent' : 'refused', message }
}

const store = (ctx: Context, { id }: CommandRow, client: LocatedClient, verdict: Verdict): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const { event, message = null, payload } = verdict
    const row = await updateCommand(tx, id, event, {
      status_message: message,
      response_payload: jsonOf(payload),
    })
    if (row?.status !== 'queued') return
    await addSettleJob(tx, id, row.expires_at)
    // A device of the broker is heard when it comes back; about others nobody tells.
    if (client.on_broker) return
    await addRetryJob(tx, client, RETRY_MS)
  })
