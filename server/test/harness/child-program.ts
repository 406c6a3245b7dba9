/**
 * Runs a program of server/test/programs in a process of its own, which a test may kill -9. Node 20 does not read
 * TypeScript, so the program is bundled first; packages stay outside of the bundle.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

export interface Program extends AsyncDisposable {
  run(...args: string[]): Child
}

interface Child extends AsyncDisposable {
  pid: number
  /** Its first output; rejects with its stderr if it ends without output. */
  firstLine: Promise<string>
  kill9(): Promise<void>
}

const programs = fileURLToPath(new URL('../programs', import.meta.url))
// Inside the workspace, where the bundle finds its packages; ignored by git.
const bundles = fileURLToPath(new URL('../../dist-test', import.meta.url))

export async function childProgram(name: string): Promise<Program> {
  await mkdir(bundles, { recursive: true })
  const outDir = await mkdtemp(join(bundles, 'program-'))
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: join(programs, `${name}.ts`),
      outDir,
      target: 'es2022',
      rollupOptions: { output: { entryFileNames: 'program.mjs' } },
    },
  })
  const running: Child[] = []
  return {
    run: (...args) => {
      const child = start(join(outDir, 'program.mjs'), args)
      running.push(child)
      return child
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(running.map((child) => child.kill9()))
      await rm(outDir, { recursive: true })
    },
  }
}

function start(file: string, args: string[]): Child {
  const child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const ended = once(child, 'close')
  const firstLine = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    void ended.then(() => reject(new Error(`the program printed nothing: ${stderr}`)))
  })
  firstLine.catch(() => {})
  const kill9 = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { pid: child.pid!, firstLine, kill9, [Symbol.asyncDispose]: kill9 }
}
