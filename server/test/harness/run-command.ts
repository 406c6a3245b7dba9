/** Runs the built `npm run backup` and `npm run restore` in their own process, which a test may kill. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { inject } from 'vitest'

const module = new URL('../../dist/cli/backup/run.js', import.meta.url).href

const functions = { backup: 'runBackup', restore: 'runRestore' }

export interface CommandResult {
  /** Null if a signal ended it. */
  code: number | null
  stdout: string
  stderr: string
}

export function startCommand(
  [name, ...args]: [keyof typeof functions, ...string[]],
  environment: Record<string, string>,
) {
  if (!inject('isBuilt')) throw new Error('The server does not compile; the compiler said why above.')
  const program = `(await import('${module}')).${functions[name]}(process.argv.slice(1))`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, '--', ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const result = ended.then(([stdout, stderr, [code]]): CommandResult => ({ code, stdout, stderr }))
  return { result, kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

export const runCommand: (...given: Parameters<typeof startCommand>) => Promise<CommandResult> = (...given) =>
  startCommand(...given).result
