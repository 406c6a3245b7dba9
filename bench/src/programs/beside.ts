/** Runs a program of the machine, and ends it with the bench, whatever ends that. */
import { type ChildProcess, spawn } from 'node:child_process'
import { ignoreInterrupt, serve } from './serve.ts'

let child: ChildProcess | undefined

const handlers = {
  async start(command: string, args: string[]) {
    child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let output = ''
    child.stderr!.on('data', (chunk) => (output = `${output}${chunk}`.slice(-2000)))
    child.once('error', (error) => fail(`${command}: ${error.message}`))
    child.once('exit', (code, signal) => fail(`${command} ended with ${code ?? signal}:\n${output}`))
  },
}

export type BesideProgram = typeof handlers

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

process.once('exit', () => child?.kill('SIGKILL'))
process.once('SIGTERM', () => {
  child?.removeAllListeners('exit')
  child?.once('exit', () => process.exit())
  if (!child?.kill('SIGTERM')) process.exit()
})

ignoreInterrupt()
serve(handlers)
