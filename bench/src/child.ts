/** Child processes that answer calls over IPC, so that the measured code and the load generator never share an event loop. */
import { type ChildProcess, fork, type ForkOptions } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Answer, Handlers } from './programs/serve.ts'

/** Time until a process that does not stop is killed. */
const STOP_MS = 15_000

export interface Child<H extends Handlers> extends AsyncDisposable {
  process: ChildProcess
  /** @throws the handler's error, or an error if the process ended */
  call<K extends keyof H>(method: K, ...args: Parameters<H[K]>): Promise<Awaited<ReturnType<H[K]>>>
  /** Resolves when the process has ended. */
  stop(): Promise<void>
}

/** @param name of a file in `programs/` @param flags of Node.js */
export const startProgram = async <H extends Handlers>(
  name: string,
  flags: string[] = [],
): Promise<Child<H>> =>
  forkChild<H>(fileURLToPath(new URL(`programs/${name}.js`, import.meta.url)), {
    execArgv: ['--expose-gc', ...flags],
  })

export function forkChild<H extends Handlers>(file: string, options: ForkOptions): Child<H> {
  const child = fork(file, options)
  const waiting = new Map<number, (answer: Answer) => void>()
  const ended = once(child, 'exit')
  let calls = 0
  child.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  child.on('error', () => {})
  void ended.then(([code, signal]) => {
    for (const [id, answer] of waiting) answer({ id, error: `${file} ended with ${code ?? signal}` })
  })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const cut = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
    await ended
    clearTimeout(cut)
  }
  return {
    process: child,
    call: (method, ...args) =>
      new Promise((resolve, reject) => {
        if (!child.connected) return reject(new Error(`${file} has ended`))
        const id = calls++
        waiting.set(id, ({ error, result }) =>
          error === undefined ? resolve(result as never) : reject(new Error(error)),
        )
        child.send({ id, method, args })
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
