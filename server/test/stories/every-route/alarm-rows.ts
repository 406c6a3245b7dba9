import { type Ids, list, object, seen, own, row, type Row } from './row.ts'

/** Each user has their own connections and subscriptions, but not the assets. */
export function realtimeRows(ids: Ids): Record<string, Row> {
  const nobodys = { at: { subscriptionId: ids.dashboard! } }
  return {
    'POST /v1/realtime/negotiate': own(200),
    'GET /v1/realtime/subscriptions': list(),
    // No user here has a live connection, which the authorized user is told.
    'POST /v1/realtime/subscriptions': object(404, {
      viewer: 404,
      body: { connectionId: 'none', topic: 'telemetry', assets: [ids.client] },
    }),
    'PUT /v1/realtime/subscriptions/{subscriptionId}': own(404, { ...nobodys, body: {} }),
    'DELETE /v1/realtime/subscriptions/{subscriptionId}': own(404, nobodys),
  }
}

export function notificationRows(ids: Ids, here: object): Record<string, Row> {
  const [at, ofGroup] = [{ notificationId: ids.notification! }, { contactGroupId: ids.contactGroup! }]
  const notification = { ...here, trigger: { alarmTrigger: [] }, broadcast: false, channels: {} }
  const query = `alarmId=${ids.firedAlarm}&assetId=${ids.firedAsset}`
  return {
    'GET /v1/contactgroups': list(),
    'POST /v1/contactgroups': object(201, { body: here }),
    'GET /v1/contactgroups/{contactGroupId}': seen(200, { at: ofGroup }),
    'PATCH /v1/contactgroups/{contactGroupId}': object(200, { at: ofGroup, body: {} }),
    'GET /v1/notifications': list(),
    'POST /v1/notifications': object(201, { body: notification }),
    'GET /v1/notifications/{notificationId}': seen(200, { at }),
    'PATCH /v1/notifications/{notificationId}': object(200, { at, body: {} }),
    'GET /v1/notifications/{notificationId}/deliveries': object(200, { at }),
    // There is no such delivery, which the authorized user is told.
    'POST /v1/notifications/{notificationId}/deliveries/{deliveryId}/retry': object(404, {
      at: { ...at, deliveryId: ids.dashboard! },
    }),
    'POST /v1/notifications/{notificationId}/test': object(200, { at, body: { channel: 'email' } }),
    'GET /v1/notifications/{notificationId}/recipients': object(200, { at: { ...at, query } }),
    'POST /v1/notifications/{notificationId}/subscribers': object(200, {
      at,
      body: { contactGroupId: ids.contactGroup },
    }),
    'DELETE /v1/notifications/{notificationId}/subscribers/{contactGroupId}': object(204, {
      at: { ...at, ...ofGroup },
    }),
  }
}

export function alarmRows(ids: Ids): Record<string, Row> {
  const at = { alarmId: ids.alarm! }
  const draft = { entityTypeId: 'dtmi:walk:watched;1', noDataSeconds: 60 }
  const span = { from: '2026-01-01', to: '2026-01-02' }
  return {
    'GET /v1/alarms': list(),
    'POST /v1/alarms': object(201, { body: { name: 'New', organizationId: ids.organization } }),
    'GET /v1/alarms/status': list(),
    'GET /v1/alarms/status/history': list(),
    'GET /v1/alarms/status/entity/{entityId}': seen(200, { at: { entityId: ids.watchedAsset! } }),
    'GET /v1/alarms/status/{alarmStatusId}': row(
      { otherTenant: 404, withoutRights: 404, viewer: 200, allowedStatus: 200 },
      { at: { alarmStatusId: ids.alarmStatus! } },
    ),
    'PUT /v1/alarms/status/acknowledge/{alarmStatusId}': seen(200, {
      at: { alarmStatusId: ids.alarmStatus! },
    }),
    // The other tenant does not have this model.
    'POST /v1/alarms/backtest': row(
      { otherTenant: 400, withoutRights: 403, viewer: 403, allowedStatus: 200 },
      {
        body: { alarm: draft, assetIds: [ids.watchedAsset], ...span },
      },
    ),
    'GET /v1/alarms/{alarmId}': seen(200, { at }),
    'PUT /v1/alarms/{alarmId}': object(200, { at, body: { name: 'Renamed' } }),
    'DELETE /v1/alarms/{alarmId}': object(204, { at }),
  }
}
