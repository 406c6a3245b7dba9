import { type Known, type Setup, template } from './setup.ts'

/** Renders the template of the group for this device, without keys, which do not exist before provisioning. */
export function previewSettings(
  { groups, targets }: Known,
  { groupId, targetId, host, port, deviceId }: Setup,
): string {
  const [broker] = targets.find(({ id }) => id === targetId)?.brokers ?? []
  const values: Record<string, string | number> = {
    'target.host': broker?.host ?? host,
    'target.port': broker?.port ?? Number(port),
    'device.id': deviceId,
    'device.primary_key': '••••••',
    'device.secondary_key': '••••••',
  }
  const render = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const [, whole] = /^\{\{\s*([\w.]+)\s*\}\}$/.exec(value) ?? []
      if (whole !== undefined && whole in values) return values[whole]
      return value.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (all, name: string) => String(values[name] ?? all))
    }
    if (Array.isArray(value)) return value.map(render)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, render(one)]))
    return value
  }
  const chosen = groups.find(({ id }) => id === groupId)?.response_template ?? template
  return JSON.stringify(render(chosen), null, 2)
}
