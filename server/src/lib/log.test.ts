import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { createLog } from './log.ts'

async function written(isTTY: boolean) {
  let text = ''
  const log = await createLog('info', { isTTY, write: (line: string) => (text += line) })
  log.debug('not shown')
  log.warn({ device: 'pump-1', reason: 'wrong_key', token: 'a secret' }, 'a device was refused')
  log.error({ err: new Error('it broke') }, 'a job failed')
  return text
}

test('the log of a program has one JSON object a line', async () => {
  const lines = (await written(false)).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, device: 'pump-1', reason: 'wrong_key', token: '[Redacted]', msg: 'a device was refused' },
    { level: 50, err: { message: 'it broke' }, msg: 'a job failed' },
  ])
})

test('on a terminal a line has time, level, text and fields, and an error has its stack below it', async () => {
  const [first, second, ...more] = stripVTControlCharacters(await written(true))
    .trim()
    .split('\n')
  expect(first).toMatch(
    /^\[\d\d:\d\d:\d\d\] WARN: a device was refused {"device":"pump-1","reason":"wrong_key","token":"\[Redacted\]"}$/,
  )
  expect(second).toMatch(/^\[\d\d:\d\d:\d\d\] ERROR: a job failed/)
  expect(more.join('\n')).toContain('it broke')
})

test('a name from an unauthenticated client cannot move the cursor', async () => {
  let text = ''
  const log = await createLog('info', { isTTY: true, write: (line: string) => (text += line) })
  log.warn({ device: '\u001B[2Jpump\r\n' }, 'a device was refused')
  expect(stripVTControlCharacters(text)).toContain(String.raw`\u001b[2Jpump\r\n`)
})
