import { type Filled, getCa, quote, type Snippet } from './snippet.ts'

export function writeShell(filled: Filled): Snippet[] {
  const { origin, deviceId, onboardingKey } = filled
  if (onboardingKey === null) return [...getCa(filled), ...publish(filled)]
  const settings = `curl -sS ${quote(`${origin}/get_settings`)} -u ${quote(`${deviceId}:${onboardingKey}`)}`
  return [{ step: 'settings', code: settings }, ...getCa(filled), ...publish(filled)]
}

function publish(filled: Filled): Snippet[] {
  const { host, port, isTls, deviceId, brokerKey, ca } = filled
  const tls = !isTls ? '' : ca === '' ? ' --capath /etc/ssl/certs' : ' --cafile ca.crt'
  const access = `-h ${quote(host)} -p ${port}${tls} -u ${quote(deviceId)} -P ${quote(brokerKey)} -q 1`
  const topic = (rest: string) => quote(`devices/${deviceId}/${rest}`)
  return [
    {
      step: 'publish',
      code: `mosquitto_pub ${access} \\\n  -t ${topic('telemetry')} -m '{"temperature": 21.5}'`,
    },
    { step: 'subscribe', code: `mosquitto_sub ${access} \\\n  -t ${topic('twin/desired')} -v` },
  ]
}
