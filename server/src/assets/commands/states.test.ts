import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertAsset, makePumpModel } from '../../../test/harness/assets.ts'
import { type Platform, startPlatform } from '../../../test/harness/platform.ts'
import type { CommandStatus } from '../../database/tables/commands.ts'
import { type CommandEvent, transitions } from './states.ts'
import { findCommand, insertCommand, updateCommand } from './store.ts'

let platform: Platform
let assetNumber: number
beforeAll(async () => {
  platform = await startPlatform()
  await makePumpModel(platform)
  assetNumber = await insertAsset(platform, 'pump')
})
afterAll(() => platform[Symbol.asyncDispose]())

const states: CommandStatus[] = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'expired',
  'cancelled',
]

async function commandIn(status: CommandStatus): Promise<string> {
  const command = { assetNumber, componentId: '', name: 'start', payload: 1, target: 'not_bound: x' }
  const { id } = await insertCommand(platform.ctx.db, {
    ...command,
    expiresAfterSeconds: 0,
    timeoutSeconds: 5,
  })
  await platform.ctx.db.updateTable('asset_commands').set({ status }).where('id', '=', id).execute()
  return id
}

// [docs/assets#command-states], repeated here to detect a change of the table.
const rows: [CommandStatus, CommandEvent, CommandStatus][] = [
  ['queued', 'sent', 'running'],
  ['running', 'unsent', 'queued'],
  ['queued', 'cancelled', 'cancelled'],
  ['queued', 'expired', 'expired'],
  ['queued', 'offline', 'failed'],
  ['running', 'done', 'succeeded'],
  ['running', 'refused', 'failed'],
  ['running', 'unanswered', 'timed_out'],
]

describe.each(rows)('%s, %s', (from, event, to) => {
  test(`leads to ${to} and sets the times`, async () => {
    const id = await commandIn(from)
    const row = await updateCommand(platform.ctx.db, id, event, { status_message: 'why' })
    expect(row).toMatchObject({ status: to, status_message: 'why' })
    expect(row!.responded_at !== null || to === 'queued' || to === 'running').toBe(true)
    if (to === 'running') expect(row!.started_at).toBeInstanceOf(Date)
    if (to === 'queued') expect(row!.responded_at).toBeNull()
  })

  test('is ignored in every other state', async () => {
    for (const other of states.filter((state) => state !== from)) {
      const id = await commandIn(other)
      expect(await updateCommand(platform.ctx.db, id, event, { status_message: 'why' })).toBeUndefined()
      expect(await findCommand(platform.ctx.db, id)).toMatchObject({
        status: other,
        status_message: 'not_bound: x',
      })
    }
  })
})

test('there are no other rows', () => {
  expect(transitions.map(({ from, event, to }) => [from, event, to])).toEqual(rows)
})
