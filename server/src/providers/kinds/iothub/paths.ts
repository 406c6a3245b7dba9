import { validationError } from '../../../http/errors.ts'

/** What a request is about. */
export interface Target {
  deviceId: string
  /** `''` is the device itself */
  moduleId: string
}

export const targetName = ({ deviceId, moduleId }: Target) =>
  moduleId === '' ? `device ${deviceId}` : `module ${moduleId} of the device ${deviceId}`

/** Where the hub keeps what: `devices` has identities, `twins` has twins and takes methods. */
export function targetPath(kind: 'devices' | 'twins', { deviceId, moduleId }: Target): string {
  const ofDevice = `/${kind}/${segment(deviceId, 'clientId')}`
  return moduleId === '' ? ofDevice : `${ofDevice}/modules/${segment(moduleId, 'componentId')}`
}

/** An id that a URL takes for a way up, escaped or not, would send the request somewhere else. */
function segment(id: string, path: string): string {
  if (id === '.' || id === '..') throw validationError({ path, message: 'is no id that IoT Hub can have' })
  return encodeURIComponent(id)
}
