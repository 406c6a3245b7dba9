/** Routes of the contact groups that receive a notification. [docs/notifications#recipients] */
import Type from 'typebox'
import { recordAudit } from '../audit/record.ts'
import type { Context } from '../context.ts'
import { type Caller, permission } from '../http/access.ts'
import { notFound } from '../http/errors.ts'
import { answer, route, type Route } from '../http/route.ts'
import { Uuid } from '../http/shapes.ts'
import { NotificationRecord, notificationShape } from './schema.ts'
import { getNotificationForUpdate, type NotificationRow, updateNotification } from './store.ts'
import { requireContactGroups } from './require-viewable.ts'

const manage = permission('manage', 'notification', (p) => p.notificationId!)

export const subscriberRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/v1/notifications/{notificationId}/subscribers',
    operationId: 'addSubscriber',
    summary: 'Send it to a contact group too; answers 200 if the group receives it already',
    access: manage,
    params: Type.Object({ notificationId: Uuid }),
    body: Type.Object({ contactGroupId: Uuid }),
    response: { 201: NotificationRecord, 200: NotificationRecord },
    handler: ({ params, body, caller }) =>
      change(ctx, caller, params.notificationId, async (tx, before) => {
        const id = body.contactGroupId.toLowerCase()
        if (before.contact_group_ids.includes(id)) return { status: 200 }
        await requireContactGroups(tx, caller, [id], 'contactGroupId')
        return { status: 201, contactGroupIds: [...before.contact_group_ids, id] }
      }),
  }),
  route({
    method: 'DELETE',
    url: '/v1/notifications/{notificationId}/subscribers/{contactGroupId}',
    operationId: 'removeSubscriber',
    summary: 'Stop sending it to a contact group',
    access: manage,
    params: Type.Object({ notificationId: Uuid, contactGroupId: Uuid }),
    response: { 204: null },
    handler: ({ params, caller }) =>
      change(ctx, caller, params.notificationId, async (_tx, before) => {
        const id = params.contactGroupId.toLowerCase()
        const contactGroupIds = before.contact_group_ids.filter((other) => other !== id)
        if (contactGroupIds.length === before.contact_group_ids.length) throw notFound('subscriber', id)
        return { status: 204, contactGroupIds }
      }),
  }),
]

type Transaction = Parameters<typeof getNotificationForUpdate>[0]

const change = (
  { db }: Context,
  caller: Caller,
  notificationId: string,
  decide: (
    tx: Transaction,
    before: NotificationRow,
  ) => Promise<{ status: number; contactGroupIds?: string[] }>,
) =>
  db.transaction().execute(async (tx) => {
    const { tenantId } = caller
    const row = await getNotificationForUpdate(tx, tenantId, notificationId)
    const before = notificationShape(row)
    const { status, contactGroupIds } = await decide(tx, row)
    if (!contactGroupIds) return answer(status, before)
    const after = notificationShape(await updateNotification(tx, tenantId, row.id, { contactGroupIds }))
    await recordAudit(tx, caller, {
      action: 'update',
      resourceType: 'notification',
      resourceId: row.id,
      before,
      after,
    })
    return answer(status, status === 204 ? undefined : after)
  })
