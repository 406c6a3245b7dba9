// Creates rules, alarms and notifications over the public API, after `makeDevices` and `makeAssets`.
import { hostileNames, sendValues, until } from './fixtures.mjs'

export const consolePump = 'dtmi:com:example:ConsolePump;1'
export const above = (signal, limit) => JSON.stringify({ '>': [{ var: signal }, limit] })

/**
 * `Too hot` (severity 4) and a hostile rule (severity 2) are active on `pump-7`; a notification of `Too hot` made a
 * message for the administrator.
 */
export async function makeAlarms(api) {
  const [{ id: organizationId }] = await api('GET', '/v1/organizations')
  const hot = (await api('GET', '/v1/alarms?search=Too%20hot'))[0].id
  await api('POST', '/v1/alarms', {
    name: hostileNames[0],
    description: hostileNames[1],
    entityTypeId: consolePump,
    severity: 2,
    condition: above('pressure', 9),
  })
  await api('POST', '/v1/notifications', {
    displayName: hostileNames[2],
    organizationId,
    broadcast: true,
    trigger: { alarmTrigger: [hot] },
    channels: {
      email: { active: true, template: 'It has {{value}}. {{ackUrl}}', subject: '{{assetName}} is hot' },
    },
  })
  await sendValues(api, 'pump-0000', { temperature: 60, pressure: 2 })
  await sendValues(api, 'pump-0000', { temperature: 95.5, pressure: 9.5 })
  const open = () => api('GET', '/v1/alarms/status/entity/pump-7')
  await until(async () => (await open()).length === 2)
  const statuses = await open()
  const status = statuses.find(({ alarmId }) => alarmId === hot)
  return { hot, alarmStatusId: status.alarmStatusId, organizationId }
}
