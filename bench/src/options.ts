import { parseArgs } from 'node:util'
import type { BenchCase } from './bench-case.ts'
import { cases } from './cases.ts'
import { resultsDir } from './report.ts'

export interface Options {
  cases: BenchCase[]
  /** Results as JSON on stdout instead of the table. */
  json: boolean
  /** Where the servers leave their CPU profiles. */
  profileDir: string | undefined
}

export const usage = () => `npm run bench -- [case…] [options]

${cases.map(({ name, about, isOnRequest }) => `  ${name.padEnd(16)} ${about}${isOnRequest ? ' (only when named)' : ''}`).join('\n')}

  --json       results as JSON on stdout instead of the table
  --profile    the servers under test write CPU profiles into bench-results/ (and are slower for it)
`

/** @throws for an unknown case or option */
export function readOptions(args: string[]): Options | 'help' {
  const flag = { type: 'boolean', default: false } as const
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: flag, profile: flag, help: flag },
  })
  if (values.help) return 'help'
  const named = positionals.map((name) => cases.find((known) => known.name === name))
  const unknown = positionals.filter((_name, index) => !named[index])
  if (unknown.length > 0)
    throw new Error(
      `there is no case ${unknown.join(', ')}; choose from ${cases.map(({ name }) => name).join(', ')}`,
    )
  return {
    cases:
      positionals.length === 0
        ? cases.filter(({ isOnRequest }) => !isOnRequest)
        : named.filter((found) => found !== undefined),
    json: values.json,
    profileDir: values.profile ? resultsDir : undefined,
  }
}
