/** The link in a message: GET shows a page with a button, POST acknowledges. [docs/notifications#acknowledge-links] */
import type { Kysely } from 'kysely'
import Type from 'typebox'
import { permissionQuestion } from '../../access/decisions/check.ts'
import { acknowledgeAlarm } from '../../alarms/statuses/acknowledge.ts'
import type { Context } from '../../context.ts'
import type { Tables } from '../../database/tables.ts'
import { open } from '../../http/access.ts'
import { type Answer, route, type Route } from '../../http/route.ts'
import { type AckClaims, openAckToken } from './ack-token.ts'
import { askPage, donePage, expiredPage, forbiddenPage, unknownPage } from './pages.ts'

const Html = Type.String()
const path = {
  url: '/ack/{token}',
  access: open(),
  params: Type.Object({ token: Type.String({ maxLength: 1024 }) }),
  response: { 200: Html, 403: Html, 404: Html, 410: Html },
  produces: 'text/html',
}

export const acknowledgeRoutes = (ctx: Context): Route[] => [
  route({
    ...path,
    method: 'GET',
    operationId: 'getAcknowledgePage',
    summary: 'The page to which a message links; it changes nothing',
    handler: ({ params }) => whereAllowed(ctx, params.token, async (_claims, status) => askPage(status)),
  }),
  route({
    ...path,
    method: 'POST',
    operationId: 'acknowledgeByLink',
    summary: 'Acknowledge the alarm as the recipient of the message',
    // The form has no fields.
    rawBody: { as: 'buffer', contentType: '*' },
    bodyLimit: 1024,
    handler: ({ params, request }) =>
      whereAllowed(ctx, params.token, async (claims, status) => {
        await acknowledge(ctx, claims, status, request.id)
        return donePage(await getStatus(ctx.db, claims))
      }),
  }),
]

type Status = Awaited<ReturnType<typeof getStatus>>

async function whereAllowed(
  ctx: Context,
  token: string,
  show: (claims: AckClaims, status: Status) => Promise<Answer>,
): Promise<Answer> {
  const claims = openAckToken(ctx.sealer, token)
  if (!claims) return unknownPage()
  if (claims.isExpired) return expiredPage()
  const status = await selectStatus(ctx.db, claims).executeTakeFirst()
  if (!status) return unknownPage()
  return (await mayAcknowledge(ctx, claims, status)) ? show(claims, status) : forbiddenPage()
}

/** Checks the present access of the user, which may have been revoked since the message was sent. */
async function mayAcknowledge({ db, decisions }: Context, { tenantId, userId }: AckClaims, status: Status) {
  const user = await db
    .selectFrom('users')
    .select('disabled_at')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', userId)
    .executeTakeFirst()
  if (!user || user.disabled_at) return false
  const mayView = (type: 'alarm' | 'asset', id: string) =>
    decisions.check(permissionQuestion(tenantId, { type: 'user', id: userId }, 'view', { type, id }))
  const views = await Promise.all([mayView('alarm', status.alarm_id), mayView('asset', status.asset_id)])
  return views.every(Boolean)
}

async function acknowledge(ctx: Context, claims: AckClaims, before: Status, requestId: string) {
  const { tenantId, alarmStatusId, userId } = claims
  if (before.acknowledged_at) return
  const actor = { tenantId, userId, requestId }
  await acknowledgeAlarm(ctx, { tenantId, alarmStatusId, by: userId, actor })
}

const selectStatus = (db: Kysely<Tables>, { tenantId, alarmStatusId }: AckClaims) =>
  db
    .selectFrom('alarm_statuses')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('id', '=', alarmStatusId)

const getStatus = (db: Kysely<Tables>, claims: AckClaims) =>
  selectStatus(db, claims).executeTakeFirstOrThrow()
