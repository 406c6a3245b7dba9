/** A copy of the checkout in an empty directory, for steps that install packages and build. */
import { execFile } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nobody } from './failed-start.ts'
import { temporaryDirectory } from './temporary-directory.ts'

// A script of the repository, not of the server's program.
const script = '../../../scripts/copy-checkout.mjs'
const { copyCheckout } = (await import(script)) as { copyCheckout(target: string): void }
const execute = promisify(execFile)

export interface Checkout extends AsyncDisposable {
  path: string
  /** Runs a command line in it as the user of the tests. @returns both streams */
  run(command: string): Promise<string>
}

export async function freshCheckout(): Promise<Checkout> {
  const directory = await temporaryDirectory(0o755)
  const path = join(directory.path, 'gangway')
  copyCheckout(path)
  return {
    path,
    run: (command) => runIn(path, command),
    [Symbol.asyncDispose]: async () => {
      await execute('chmod', ['-R', 'u+w', directory.path])
      await directory[Symbol.asyncDispose]()
    },
  }
}

export async function runIn(folder: string, command: string): Promise<string> {
  const { stdout, stderr } = await execute('sh', ['-c', command], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
    env: {
      ...process.env,
      npm_config_prefer_offline: 'true',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
    },
  })
  return stdout + stderr
}

export interface Account {
  uid: number
  gid: number
}

const isRoot = process.getuid?.() === 0

/** An ordinary user: `nobody` where root runs the tests. */
export const ordinaryUser: Account = isRoot ? nobody : { uid: process.getuid!(), gid: process.getgid!() }

/** Takes every right to write to the folder from the ordinary user. */
export const makeReadOnly = (folder: string) => execute('chmod', ['-R', isRoot ? 'a+rX,go-w' : 'a-w', folder])

/** A directory that the ordinary user may write to. */
export async function writableDirectory() {
  const directory = await temporaryDirectory(0o755)
  if (isRoot) await chmod(directory.path, 0o777)
  return directory
}
