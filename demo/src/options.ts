import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

export interface DemoOptions {
  url: string
  email: string
  password: string | undefined
  devices: number
  intervalSeconds: number
  /** Duration of the demo; if absent, it runs until Ctrl+C. */
  seconds: number | undefined
  /** Lets the platform simulate the pumps, with assets and an alarm. */
  simulate: boolean
}

export const usage = `npm run demo -- [options]

  --devices N       how many pumps (default 25)
  --interval S      seconds between two messages of a pump (default 2)
  --seconds S       duration (default: until Ctrl+C)
  --simulate        let the platform simulate the pumps, with a model, assets and an alarm
  --url URL         the platform (default: where the server of ./data listens, else http://localhost:8080)
  --email EMAIL     administrator (default admin@example.com)
  --password TEXT   its password; better: GANGWAY_ADMIN_PASSWORD, or enter it when asked
`

/** @throws Error that says what is wrong */
export function readOptions(args: string[], env: Record<string, string | undefined>): DemoOptions | 'help' {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args,
    options: {
      devices: text,
      interval: text,
      seconds: text,
      url: text,
      email: text,
      password: text,
      simulate: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return 'help'
  const simulate = values.simulate ?? false
  return {
    simulate,
    url: (values.url ?? runningServer(env) ?? 'http://localhost:8080').replace(/\/$/, ''),
    email: values.email ?? env.GANGWAY_ADMIN_EMAIL ?? 'admin@example.com',
    password: values.password ?? env.GANGWAY_ADMIN_PASSWORD,
    devices: number('devices', values.devices ?? '25', 1, simulate ? 1000 : 10_000),
    intervalSeconds: number('interval', values.interval ?? '2', simulate ? 1 : 0.1, 3600),
    seconds: values.seconds === undefined ? undefined : number('seconds', values.seconds, 0, 1e6),
  }
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= least && value <= most))
    throw new Error(`--${name} must be ${least} to ${most}`)
  return name === 'devices' ? Math.round(value) : value
}

/** Reads the address of a local server from its data directory. */
function runningServer(env: Record<string, string | undefined>): string | undefined {
  try {
    const path = join(env.GANGWAY_DATA_DIR ?? './data', 'endpoints.json')
    return (JSON.parse(readFileSync(path, 'utf8')) as { http: string }).http
  } catch {
    return undefined
  }
}
