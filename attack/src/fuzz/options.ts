import { parseArgs } from 'node:util'

export interface FuzzOptions {
  /** The seed of the first case; each further case has the next number. */
  seed: number
  seconds: number
  /** The number of cases; absent for as many as fit into the time. */
  cases: number | undefined
  /** Without bounds of time, which a machine that does other work may miss. */
  untimed: boolean
}

export const usage = `npm run fuzz -- [options]

  --seed <number>     of the first case; each further case has the next number. Random where absent
  --seconds <number>  how long new cases begin (120)
  --cases <number>    ends after so many cases; --cases 1 replays one
  --untimed           leaves out the bounds of time, for a machine that does other work
`

/** @throws for an unknown option or a number that is none */
export function readOptions(args: string[]): FuzzOptions | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: 'string' },
      seconds: { type: 'string', default: '120' },
      cases: { type: 'string' },
      untimed: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  return {
    seed: readNumber('seed', values.seed) ?? Math.floor(Math.random() * 1e9),
    seconds: readNumber('seconds', values.seconds)!,
    cases: readNumber('cases', values.cases),
    untimed: values.untimed,
  }
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} is not a number: ${text}`)
  return value
}
