/** Everything accepts connections: say where, to people on the terminal and to programs in `endpoints.json`. */
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { FirstAdministrator } from '../organizations/first-start.ts'

export async function announce(ctx: Context, administrator: FirstAdministrator | undefined): Promise<void> {
  const { endpoints, config } = ctx
  const path = join(config.dataDir, 'endpoints.json')
  // Renamed into place: whoever waits for the file never reads half of it.
  await writeFile(`${path}.new`, `${JSON.stringify(endpoints, null, 2)}\n`)
  await rename(`${path}.new`, path)
  process.stdout.write(banner(ctx, administrator))
}

function banner({ endpoints, config }: Context, administrator: FirstAdministrator | undefined): string {
  const lines = [
    '',
    '  Gangway is up.',
    '',
    `  API          ${endpoints.http}/v1`,
    `  API docs     ${endpoints.http}/docs`,
    ...(endpoints.onboarding === endpoints.http ? [] : [`  Onboarding   ${endpoints.onboarding}`]),
    `  MQTT         ${endpoints.mqtt}`,
    `  MQTT, TLS    ${endpoints.mqtts}`,
    `  Data         ${config.databaseUrl ? 'the database at DATABASE_URL' : config.dataDir}`,
    '',
  ]
  if (administrator) lines.push(`  Administrator  ${administrator.email}`)
  if (administrator?.password) lines.push(`  Password       ${administrator.password}   (shown this once)`)
  if (administrator) lines.push('')
  return `${lines.join('\n')}\n`
}
