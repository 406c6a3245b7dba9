/** A client program: what it prints, line by line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Listener, Message } from './public-client.ts'

const start = (command: string[], input = '') => {
  const child = spawn(command[0]!, command.slice(1), {
    env: { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return child
}

/** @param input its standard input */
export async function runProgram(command: string[], input: string): Promise<void> {
  const child = start(command, input)
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${(await output).join('\n')}`)
}

/**
 * Starts a program that prints `message {qos} {payload}` for each message and leaves on SIGTERM.
 * @param isReady whether the line says that it has subscribed
 */
export async function listenWithProgram(
  command: string[],
  isReady: (line: string) => boolean,
): Promise<Listener> {
  const child = start(command)
  const exited = once(child, 'exit')
  const errors = text(child.stderr)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const messages: Message[] = []
  const readLine = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error(`${command[0]} ended: ${await errors}`)
    const [, qos, payload] = /^message ([012]) (.*)$/s.exec(value) ?? []
    if (payload !== undefined) messages.push({ qos: Number(qos) as Message['qos'], payload })
    return value
  }
  while (!isReady(await readLine()));
  return {
    async next() {
      while (messages.length === 0) await readLine()
      return messages.shift()!
    },
    async leave() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
