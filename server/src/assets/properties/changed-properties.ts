/**
 * Lists the properties that a patch changes, and checks their new values against the model. [docs/assets#properties]
 */
import { type Issue, validationError } from '../../http/errors.ts'
import { isProperties, ownValue, type Properties } from '../../providers/twin/merge-patch.ts'
import { fitsSchema } from '../models/fits-schema.ts'
import type { ModelContent } from '../models/resolve.ts'

export interface ChangedProperty {
  /** `''` means the asset itself. */
  componentId: string
  name: string
  before: unknown
  /** Undefined if the property is removed. */
  after: unknown
}

const MAX_ISSUES = 20

/**
 * @param after the state with the patch merged into it
 * @returns changed properties, including those that the model does not know
 * @throws validation_error with the path of each problem
 */
export function listChangedProperties(
  contents: ModelContent[],
  before: Properties,
  patch: Properties,
  after: Properties,
): ChangedProperty[] {
  const components = new Set(
    contents.filter(({ kind, componentId }) => kind === 'component' && componentId === null).map(readName),
  )
  const ofComponent = (componentId: string, names: string[]) => {
    const [from, to] = [readValue(before, componentId), readValue(after, componentId)]
    return names.map((name) => ({
      componentId,
      name,
      before: readValue(from, name),
      after: readValue(to, name),
    }))
  }
  const issues: Issue[] = []
  const changed = Object.entries(patch).flatMap(([key, change]): ChangedProperty[] => {
    if (!components.has(key))
      return [{ componentId: '', name: key, before: readValue(before, key), after: readValue(after, key) }]
    // Removing a component removes all its properties.
    if (change === null) return ofComponent(key, listNames(readValue(before, key)))
    if (isProperties(change)) return ofComponent(key, Object.keys(change))
    issues.push({ path: key, message: 'must be an object or null: it is a component' })
    return []
  })
  const known = new Map(contents.map((one) => [propertyKey(one.componentId ?? '', one.name), one]))
  for (const property of changed) {
    const issue = findIssue(known.get(propertyKey(property.componentId, property.name)), property)
    if (issue) issues.push(issue)
  }
  if (issues.length > 0) throw validationError(...issues.slice(0, MAX_ISSUES))
  return changed
}

const readName = ({ name }: ModelContent) => name
const listNames = (value: unknown) => (isProperties(value) ? Object.keys(value) : [])
const readValue = (properties: unknown, name: string): unknown =>
  isProperties(properties) ? ownValue(properties, name) : undefined

const propertyKey = (componentId: string, name: string) => `${componentId}/${name}`

function findIssue(
  content: ModelContent | undefined,
  { componentId, name, after }: ChangedProperty,
): Issue | undefined {
  if (!content) return undefined
  const path = componentId === '' ? name : `${componentId}.${name}`
  if (content.kind !== 'property') return { path, message: `is of the kind ${content.kind} in the model` }
  if (!content.writable) return { path, message: 'is not writable in the model' }
  if (after === undefined || fitsSchema(content.schema, after)) return undefined
  return { path, message: `does not fit the model, where it is ${content.schema.type}` }
}
