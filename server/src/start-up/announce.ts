/** Announces the addresses once the server accepts connections: a banner on the terminal, and `endpoints.json` for programs. */
import { rename, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import ipaddr from 'ipaddr.js'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { ROLES } from '../lib/roles.ts'
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
  const { config } = ctx
  const lines = [
    '',
    '  Gangway is running.',
    '',
    ...roleLines(config),
    ...addressLines(ctx),
    ...dataLines(ctx),
    '',
    ...clearTextWarnings(config),
  ]
  if (administrator) lines.push(`  Administrator  ${administrator.email}`)
  if (administrator?.password) lines.push(`  Password       ${administrator.password}   (shown this once)`)
  if (administrator) lines.push('')
  return `${lines.join('\n')}\n`
}

/** The roles of a node that does not have all of them. */
const roleLines = ({ roles }: Config) =>
  roles.size === ROLES.length ? [] : [`  Roles        ${[...roles].join(', ')}`]

function addressLines({ endpoints, config }: Context): string[] {
  const { http, onboarding, https, mqtt, mqtts } = endpoints
  const hasApi = config.roles.has('api')
  return [
    ...(hasApi
      ? [`  Console      ${http}/console/`, `  API          ${http}/v1`, `  API docs     ${http}/docs`]
      : [`  Health       ${http}/readyz`]),
    ...(onboarding === undefined || onboarding === http ? [] : [`  Onboarding   ${onboarding}`]),
    ...(hasApi ? [`  HTTPS        ${https}   (onboarding and enrolment of devices)`] : []),
    ...(mqtt === undefined
      ? []
      : [
          `  MQTT         ${mqtt}`,
          `  MQTT, TLS    ${mqtts}`,
          // `https` becomes `wss`.
          `  MQTT, Web    ${http!.replace('http', 'ws')}/mqtt`,
        ]),
    ...(config.mqttsCertFile || https === undefined
      ? []
      : [`  TLS trust    curl -o ca.crt ${http}/v1/ca.crt`]),
  ]
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
export function clearTextWarnings({
  httpHost,
  mqttHost,
  roles,
}: Pick<Config, 'httpHost' | 'mqttHost' | 'roles'>): string[] {
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
    .filter(({ protocol, host }) => !isLoopbackHost(host) && (protocol !== 'MQTT' || roles.has('gateway')))
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
