/** `npm run backup` and `npm run restore`: their arguments, output and exit codes. */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, readConfig } from '../../config.ts'
import { explain } from '../../start-up/explain-failed-start.ts'
import { backUp } from './back-up.ts'
import { describeBackup, describeRestore } from './describe.ts'
import { restore } from './restore.ts'

const EXIT_FAILED = 1
const EXIT_USAGE = 2
const EXIT_SIGNALS = { SIGINT: 130, SIGTERM: 143 }

/** @param args of the command line, without the program */
export async function runBackup(args: string[]): Promise<void> {
  const parsed = readArguments(args)
  if (!parsed || parsed.replace) return refuse('Usage: npm run backup -- FILE')
  const stopping = new AbortController()
  for (const [signal, code] of Object.entries(EXIT_SIGNALS))
    process.once(signal, () => {
      process.exitCode = code
      stopping.abort()
    })
  await run(async (config) =>
    describeBackup(await backUp(config, parsed.path, stopping.signal), parsed.path, config),
  )
}

/** @param args of the command line, without the program */
export async function runRestore(args: string[]): Promise<void> {
  const given = readArguments(args)
  if (!given) return refuse('Usage: npm run restore -- FILE [--replace]')
  await run(async (config) => describeRestore(await restore(config, given.path, given), config))
}

/** @returns undefined if the arguments are not valid */
export function readArguments(args: string[]): { path: string; replace: boolean } | undefined {
  try {
    const options = { replace: { type: 'boolean', default: false } } as const
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    const [path, ...others] = positionals
    if (!path || path === '-' || others.length > 0) return undefined
    // npm changes the working directory; INIT_CWD is the one where it was started.
    return { path: resolve(process.env.INIT_CWD ?? '', path), replace: values.replace }
  } catch {
    return undefined
  }
}

function refuse(usage: string) {
  console.error(usage)
  process.exitCode = EXIT_USAGE
}

/** @param command returns the lines to print */
async function run(command: (config: Config) => Promise<string[]>) {
  try {
    for (const line of await command(readConfig(process.env))) console.log(line)
  } catch (error) {
    process.exitCode ??= EXIT_FAILED
    console.error(process.exitCode === EXIT_FAILED ? explain(error) : 'Stopped: no backup was written.')
  }
}
