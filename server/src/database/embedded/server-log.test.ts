import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { readServerLog } from './server-log.ts'

async function read(lines: string[]) {
  const entries: { level: number; process: string; msg: string }[] = []
  const log = pino({ level: 'debug' }, { write: (entry: string) => void entries.push(JSON.parse(entry)) })
  const stderr = new PassThrough()
  const said = readServerLog(stderr, log)
  stderr.end(lines.join('\n'))
  await new Promise((closed) => stderr.on('close', closed))
  return {
    said,
    entries: entries.map(({ level, process, msg }) => `${pino.levels.labels[level]} ${process} ${msg}`),
  }
}

test('errors of clients are not logged, all other messages are', async () => {
  const { entries } = await read([
    '[12 client backend] ERROR:  duplicate key value',
    '[12 client backend] DETAIL:  Key (email)=(a@b) already exists.',
    '[13 checkpointer] ERROR:  could not write: No space left on device',
    '[14 postmaster] LOG:  server process was terminated by signal 9',
    '2026-11-21 02:16:41.650 GMT [14181] FATAL:  invalid value',
    '[12 client backend] PANIC:  could not write the log',
  ])
  expect(entries).toEqual([
    'debug client backend postgres: duplicate key value',
    'debug client backend postgres: Key (email)=(a@b) already exists.',
    'warn checkpointer postgres: could not write: No space left on device',
    'debug postmaster postgres: server process was terminated by signal 9',
    'error postmaster postgres: invalid value',
    'error client backend postgres: could not write the log',
  ])
})

test('its last lines explain why it ended', async () => {
  const { said } = await read([
    '[14 postmaster] LOG:  starting',
    '[14 postmaster] FATAL:  cannot start',
    '[14 postmaster] HINT:  Look here.',
  ])
  expect(said.readLastLines()).toBe('cannot start Look here.')
})
