/** Response templates and their variables. [docs/onboarding#response-templates] */
export const variables = [
  'device.id',
  'device.primary_key',
  'device.secondary_key',
  'target.host',
  'target.port',
] as const

export type Variable = (typeof variables)[number]

export const isVariable = (name: string): name is Variable => variables.some((variable) => variable === name)

export type Template = Record<string, unknown>

/** @returns the template, or null if the text is not a JSON object */
export function parseTemplate(text: string): Template | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Template) : null
  } catch {
    return null
  }
}

export const writeTemplate = (template: Template) => JSON.stringify(template, null, 2)

const DEVICE_ID = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/
export const isDeviceId = (text: string) => DEVICE_ID.test(text)
