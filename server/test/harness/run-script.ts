/** Runs a script of the repository, as npm does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface ScriptResult {
  /** Null where a signal ended it. */
  code: number | null
  stdout: string
  stderr: string
}

/** @param args the name of the file in `scripts`, without its ending, and what it is given */
export function startScript([name, ...args]: string[], environment: Record<string, string>) {
  const child = spawn(process.execPath, [`scripts/${name}.mjs`, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  const result = ended.then(([stdout, stderr, [code]]): ScriptResult => ({ code, stdout, stderr }))
  return { result, kill: (signal: NodeJS.Signals) => child.kill(signal) }
}

export const runScript = (command: string[], environment: Record<string, string>) =>
  startScript(command, environment).result
