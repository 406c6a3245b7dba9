/** Runs a short program to its end under PostgreSQL's account. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

export interface Account {
  uid: number
  gid: number
}

export interface Outcome {
  ok: boolean
  /** stdout on success, otherwise the reason of the failure. */
  output: string
}

/** Inherits nothing: PGDATA, LD_LIBRARY_PATH or LC_ALL of the caller would change what PostgreSQL does. */
export const cleanEnvironment = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

/** @param options the account to run as, and what the program reads from its standard input */
export async function run(
  program: string,
  args: string[],
  { input, ...account }: Partial<Account> & { input?: string } = {},
): Promise<Outcome> {
  try {
    // The account may have no access to the present working directory.
    const child = spawn(program, args, {
      ...account,
      cwd: '/',
      env: cleanEnvironment,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    // Errors of stdin are ignored: the exit status tells if a program failed before it read everything.
    child.stdin?.on('error', () => {}).end(input)
    const [stdout, stderr, [code, signal]] = await Promise.all([
      text(child.stdout!),
      text(child.stderr!),
      once(child, 'close') as Promise<[number | null, string | null]>,
    ])
    if (code === 0) return { ok: true, output: stdout.trim() }
    return { ok: false, output: (stderr || stdout).trim() || `ended with ${signal ?? `status ${code}`}` }
  } catch (error) {
    return { ok: false, output: (error as Error).message }
  }
}
