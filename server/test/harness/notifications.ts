/** Creates notifications on a test's platform, and runs their jobs like the worker. */
import { notificationTasks } from '../../src/notifications/tasks.ts'
import type { Platform } from './platform.ts'

export const emailChannel = {
  email: {
    active: true,
    template: '{{alarmName}} on {{assetName}}: {{value}}\nAcknowledge: {{ackUrl}}',
    from: '',
    subject: 'Alarm: {{alarmName}}',
  },
}

export async function makeContactGroup(platform: Platform, fields: object): Promise<string> {
  const body = { displayName: 'On call', organizationId: platform.organizationId, ...fields }
  const answer = await platform.post('/v1/contactgroups', body)
  if (answer.status !== 201)
    throw new Error(`making a contact group answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.id
}

/** @param fields in addition to those that every notification has */
export async function makeNotification(platform: Platform, alarmId: string, fields: object = {}) {
  const body = {
    displayName: 'Tell them',
    organizationId: platform.organizationId,
    trigger: { alarmTrigger: [alarmId] },
    broadcast: false,
    channels: emailChannel,
    ...fields,
  }
  const answer = await platform.post('/v1/notifications', body)
  if (answer.status !== 201)
    throw new Error(`making a notification answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.id as string
}

interface Job {
  id: string
  task: string
  payload: unknown
}

/**
 * Runs every notification job that is due, and those that they add. A job that throws stays.
 * @returns the errors
 */
export async function runNotificationJobs({ ctx }: Platform): Promise<Error[]> {
  const tasks = notificationTasks(ctx)
  const thrown = new Map<string, Error>()
  for (;;) {
    const { rows } = await ctx.pool.query<Job>(
      `select j.id, t.identifier as task, j.payload
       from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       where t.identifier = any($1) and not j.id::text = any($2) order by j.priority, j.id`,
      [Object.keys(tasks), [...thrown.keys()]],
    )
    if (rows.length === 0) return [...thrown.values()]
    for (const { id, task, payload } of rows)
      try {
        await tasks[task]!(payload)
        await ctx.pool.query('select graphile_worker.complete_jobs(array[$1::bigint])', [id])
      } catch (error) {
        thrown.set(String(id), error as Error)
      }
  }
}
