/** A component of a client that is kept here: an object under its name in the client's twin, and methods that begin with it. */
import { isProperties, ownValue, type Properties } from './twin/merge-patch.ts'

/** Where a component's properties stand in the client's twin. @param componentId `''` is the client itself */
export const underComponent = (componentId: string, properties: Properties): Properties =>
  componentId === '' ? properties : { [componentId]: properties }

/**
 * What of the client's twin is the component's, with the `$version` of the twin.
 * @returns that alone where no object stands under the component's name
 */
export function componentProperties(twin: Properties, componentId: string): Properties {
  if (componentId === '') return twin
  const component = ownValue(twin, componentId)
  return { ...(isProperties(component) && component), $version: twin.$version }
}

/** What the method of a component is called at the device. @param componentId null and `''` are the client itself */
export const fullMethodName = (componentId: string | null, method: string): string =>
  componentId ? `${componentId}.${method}` : method
