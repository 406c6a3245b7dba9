import { type Filled, getCa, type Snippet } from './snippet.ts'

export const writeTypeScript = (filled: Filled): Snippet[] => [
  {
    step: 'install',
    code: 'npm ci && npm pack --workspace device   # in a checkout of Gangway\nnpm install ./gangway-device-0.1.0.tgz  # in your project',
  },
  {
    step: 'file',
    name: 'device.mjs',
    code: writeProgram(filled),
  },
  ...getCa(filled),
  { step: 'run', code: 'node device.mjs' },
]

function writeProgram(filled: Filled): string {
  const { deviceId, isTls, ca, onboardingKey } = filled
  const lines = [
    ...(isTls && ca !== '' ? [`import { readFileSync } from 'node:fs'`] : []),
    `import { connect${onboardingKey === null ? '' : ', onboard'} } from '@gangway/device'`,
    '',
    `const deviceId = ${JSON.stringify(deviceId)}`,
    ...(onboardingKey === null ? [] : writeOnboarding(filled, onboardingKey)),
    'const device = connect({',
    ...writeAccess(filled).map((line) => `  ${line},`),
    '})',
    `device.on('error', (error) => console.warn(error.message))`,
    'await device.sendTelemetry({ temperature: 21.5 })',
    'await device.close()',
  ]
  return lines.join('\n')
}

const writeOnboarding = ({ origin }: Filled, key: string) => [
  'const settings = await onboard({',
  `  onboardingUrl: ${JSON.stringify(origin)},`,
  '  deviceId,',
  `  key: ${JSON.stringify(key)},`,
  '})',
]

const writeAccess = ({ host, port, brokerKey, onboardingKey, isTls, ca }: Filled) => [
  ...(onboardingKey === null
    ? [
        `host: ${JSON.stringify(host)}`,
        `port: ${port}`,
        'deviceId',
        `primaryKey: ${JSON.stringify(brokerKey)}`,
      ]
    : [
        'host: String(settings.host)',
        'port: Number(settings.port)',
        'deviceId',
        'primaryKey: String(settings.primary)',
        'secondaryKey: String(settings.secondary)',
      ]),
  ...(isTls ? [ca === '' ? 'tls: true' : `tls: { ca: readFileSync('ca.crt') }`] : []),
]
