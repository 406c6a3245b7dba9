import { validationError } from '../../http/errors.ts'
import { isProperties, type Properties } from './merge-patch.ts'

interface DesiredBody {
  /** `''` is the client itself */
  componentId: string
  properties: Properties
}

/**
 * Accepts two forms: `{componentId?, properties: {…}}` and `{componentId?, …properties}`. A property whose name is
 * `properties` or `componentId` requires the first form. [docs/twins#desired-properties]
 */
export function readDesiredBody({ componentId = null, ...rest }: Properties): DesiredBody {
  if (componentId !== null && !(typeof componentId === 'string' && componentId.length <= 128))
    throw validationError({
      path: 'componentId',
      message: 'must be null or a string of at most 128 characters',
    })
  const isWrapped = Object.keys(rest).length === 1 && isProperties(rest.properties)
  return { componentId: componentId ?? '', properties: isWrapped ? (rest.properties as Properties) : rest }
}
