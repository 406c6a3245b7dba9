import { parseArgs } from 'node:util'
import type { BenchCase, Sizes } from './bench-case.ts'
import { cases } from './cases.ts'
import { resultsDir } from './report.ts'

export interface Options {
  cases: BenchCase[]
  /** Results as JSON on stdout instead of the table. */
  json: boolean
  /** Where the servers leave their CPU profiles. */
  profileDir: string | undefined
  sizes: Sizes
}

const defaults = { days: 30, series: 300, devices: 10_000, seconds: 20, minutes: 60, rate: 10 }

export const usage = () => `npm run bench -- [case…] [options]

${cases.map(({ name, about, isOnRequest }) => `  ${name.padEnd(16)} ${about}${isOnRequest ? ' (only when named)' : ''}`).join('\n')}

  --json       results as JSON on stdout instead of the table
  --profile    the servers under test write CPU profiles into bench-results/ (and are slower for it)

  --days N     days of \`history\` (default ${defaults.days})
  --series N   series of \`history\` (default ${defaults.series})
  --devices N  devices of \`nodes\` (default ${defaults.devices})
  --seconds N  length of each measurement of \`nodes\` (default ${defaults.seconds})
  --minutes N  length of \`console-memory\` (default ${defaults.minutes})
  --rate N     values a second of each chart of \`console-memory\` (default ${defaults.rate})
  --large      \`growth\` also measures larger sizes, which takes hours
`

/** @throws for an unknown case or option, or a value that it does not take */
export function readOptions(args: string[]): Options | 'help' {
  const flag = { type: 'boolean', default: false } as const
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      json: flag,
      profile: flag,
      help: flag,
      large: flag,
      days: { type: 'string', default: `${defaults.days}` },
      series: { type: 'string', default: `${defaults.series}` },
      devices: { type: 'string', default: `${defaults.devices}` },
      seconds: { type: 'string', default: `${defaults.seconds}` },
      minutes: { type: 'string', default: `${defaults.minutes}` },
      rate: { type: 'string', default: `${defaults.rate}` },
    },
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
    sizes: {
      days: readCount('days', values.days),
      series: readCount('series', values.series),
      devices: readCount('devices', values.devices),
      seconds: readCount('seconds', values.seconds),
      minutes: readCount('minutes', values.minutes),
      rate: readCount('rate', values.rate),
      isLarge: values.large,
    },
  }
}

function readCount(name: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`--${name} takes a number from 1 on, not ${text}`)
  return Number(text)
}
