/** Announces the addresses once the server accepts connections: a banner on the terminal, and `endpoints.json` for programs. */
import { rename, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import ipaddr from 'ipaddr.js'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import type { FirstAdministrator } from '../organizations/first-start.ts'

export async function announce(ctx: Context, administrator: FirstAdministrator | undefined): Promise<void> {
  const { endpoints, config } = ctx
  const path = join(config.dataDir, 'endpoints.json')
  // Renamed into place, so that no program reads an incomplete file.
  await writeFile(`${path}.new`, `${JSON.stringify(endpoints, null, 2)}\n`)
  await rename(`${path}.new`, path)
  process.stdout.write(banner(ctx, administrator))
}

function banner(ctx: Context, administrator: FirstAdministrator | undefined): string {
  const { endpoints, config } = ctx
  const lines = [
    '',
    '  Gangway is running.',
    '',
    `  Console      ${endpoints.http}/console/`,
    `  API          ${endpoints.http}/v1`,
    `  API docs     ${endpoints.http}/docs`,
    ...(endpoints.onboarding === endpoints.http ? [] : [`  Onboarding   ${endpoints.onboarding}`]),
    `  HTTPS        ${endpoints.https}   (onboarding and enrolment of devices)`,
    `  MQTT         ${endpoints.mqtt}`,
    `  MQTT, TLS    ${endpoints.mqtts}`,
    // `https` becomes `wss`.
    `  MQTT, Web    ${endpoints.http!.replace('http', 'ws')}/mqtt`,
    ...(config.mqttsCertFile ? [] : [`  TLS trust    curl -o ca.crt ${endpoints.http}/v1/ca.crt`]),
    ...dataLines(ctx),
    '',
    ...clearTextWarnings(config),
  ]
  if (administrator) lines.push(`  Administrator  ${administrator.email}`)
  if (administrator?.password) lines.push(`  Password       ${administrator.password}   (shown this once)`)
  if (administrator) lines.push('')
  return `${lines.join('\n')}\n`
}

/** Banner lines with the location of the data and the backup command. */
export function dataLines({
  config: { dataDir, databaseUrl },
  storageDirectories,
}: Pick<Context, 'config' | 'storageDirectories'>): string[] {
  const elsewhere = storageDirectories.filter((directory) => directory !== dataDir)
  return [
    `  Data         ${dataDir}`,
    ...(databaseUrl ? ['  Database     at DATABASE_URL'] : []),
    ...elsewhere.map(
      (directory) => `  Database     ${directory}, since PostgreSQL has no access to the data directory`,
    ),
    '  Back up      npm run backup -- FILE',
  ]
}

/** Warns of ports that carry passwords and keys unencrypted and are reachable from other machines. */
export function clearTextWarnings({ httpHost, mqttHost }: Pick<Config, 'httpHost' | 'mqttHost'>): string[] {
  const ports = [
    {
      protocol: 'HTTP',
      host: httpHost,
      variable: 'GANGWAY_HTTP_HOST',
      instead: 'behind a proxy that speaks TLS',
    },
    {
      protocol: 'MQTT',
      host: mqttHost,
      variable: 'GANGWAY_MQTT_HOST',
      instead: 'for a TLS proxy or local devices',
    },
  ]
  const warnings = ports
    .filter(({ host }) => !isLoopbackHost(host))
    .map(
      ({ protocol, host, variable, instead }) =>
        `  Clear text: ${protocol} listens on ${host ?? 'every address'} and carries secrets unencrypted. ` +
        `${variable}=127.0.0.1 keeps it on this machine, ${instead}.`,
    )
  return warnings.length > 0 ? [...warnings, ''] : []
}

const isLoopbackHost = (host: string | undefined) =>
  host === 'localhost' ||
  (host !== undefined && isIP(host) !== 0 && ipaddr.process(host).range() === 'loopback')
