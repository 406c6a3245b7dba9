/** A component of a local client is an object under its name in the client's twin, and a prefix of method names. */
import { isProperties, ownValue, type Properties } from './twin/merge-patch.ts'

/** Places a component's properties under its name. @param componentId `''` is the client itself */
export const nestUnderComponent = (componentId: string, properties: Properties): Properties =>
  componentId === '' ? properties : { [componentId]: properties }

/** Returns the component's properties and the `$version` of the twin; only `$version` if the component has no object. */
export function pickComponentProperties(twin: Properties, componentId: string): Properties {
  if (componentId === '') return twin
  const component = ownValue(twin, componentId)
  return { ...(isProperties(component) && component), $version: twin.$version }
}

/** Returns the name of a component's method at the device. @param componentId null and `''` are the client itself */
export const fullMethodName = (componentId: string | null, method: string): string =>
  componentId ? `${componentId}.${method}` : method
