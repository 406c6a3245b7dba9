import { validationError } from '../../../http/errors.ts'

/** The device or module that a request concerns. */
export interface Target {
  deviceId: string
  /** `''` is the device itself */
  moduleId: string
}

export const targetName = ({ deviceId, moduleId }: Target) =>
  moduleId === '' ? `device ${deviceId}` : `module ${moduleId} of the device ${deviceId}`

/** Returns the path of a target: identities are below `/devices`, twins and methods below `/twins`. */
export function targetPath(kind: 'devices' | 'twins', { deviceId, moduleId }: Target): string {
  const ofDevice = `/${kind}/${encodeSegment(deviceId, 'clientId')}`
  return moduleId === '' ? ofDevice : `${ofDevice}/modules/${encodeSegment(moduleId, 'componentId')}`
}

/** Refuses `.` and `..`, which even if escaped would change the path of the request. */
function encodeSegment(id: string, path: string): string {
  if (id === '.' || id === '..') throw validationError({ path, message: 'is not a valid id for IoT Hub' })
  return encodeURIComponent(id)
}
