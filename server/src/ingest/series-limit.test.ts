/** The series of a device are limited. [docs/telemetry#storage] */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeClient } from '../../test/harness/bindings.ts'
import { findDevice, makeMessage } from '../../test/harness/device-message.ts'
import { type Platform, startPlatform } from '../../test/harness/platform.ts'
import { allSamples } from '../../test/harness/sample-tables.ts'
import type { DeadLetter, Device } from './message.ts'

let platform: Platform
let device: Device
beforeAll(async () => {
  platform = await startPlatform({ GANGWAY_SERIES_LIMIT: '4' })
  await makeClient(platform, 'talker')
  device = await findDevice(platform, 'talker')
})
afterAll(() => platform[Symbol.asyncDispose]())

/** @returns the reason why it is a dead letter */
const send = (payload: object, kind: 'telemetry' | 'reported' = 'telemetry') =>
  new Promise<string | undefined>((resolve, reject) => {
    let letter: DeadLetter | undefined
    const message = {
      ...makeMessage(device, payload),
      onDeadLetter: (one: DeadLetter) => void (letter = one),
    }
    platform.parts.ingest[kind](message, (error) => (error ? reject(error) : resolve(letter?.reason)))
  })

const names = async () => {
  const { rows } = await platform.ctx.pool.query<{ name: string }>(
    `select distinct name from ${allSamples} sample join series on number = series_number order by 1`,
  )
  return rows.map(({ name }) => name)
}

test('a message that would make too many series is a dead letter as a whole, and others go on', async () => {
  expect(await send({ a: 1, b: 'x', nothing: null })).toBe(undefined)
  expect(await send({ a: 2, c: 1, d: 1, e: 1 })).toBe('too_many_series')
  expect(await send({ c: true }, 'reported')).toBe(undefined)
  expect(await send({ d: 1, e: 1 }, 'reported')).toBe('too_many_series')
  expect(await send({ d: 4 })).toBe(undefined)
  for (let index = 0; index < 3; index++) expect(await send({ [`new-${index}`]: 1 })).toBe('too_many_series')
  expect(await send({ a: 3, b: 3, d: 3, later: null })).toBe(undefined)
  expect(await send({ c: false }, 'reported')).toBe(undefined)
  expect(await names()).toEqual(['a', 'b', 'c', 'd'])
  const twin = await platform.ctx.db.selectFrom('client_twins').select('reported').executeTakeFirstOrThrow()
  expect(twin.reported).toEqual({ c: false })
  const letters = await platform.ctx.db.selectFrom('dead_letters').selectAll().orderBy('id').execute()
  expect(letters).toHaveLength(5)
  expect(letters[0]).toMatchObject({
    reason: 'too_many_series',
    message: expect.stringContaining('up to 4 series'),
  })
})
