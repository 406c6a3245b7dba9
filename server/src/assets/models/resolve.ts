/** Resolves `extends` and components into all contents that an asset of a model has. [docs/models#records] */
import { refuse } from './dtdl/document.ts'
import type { Content, Interface } from './dtdl/model.ts'
import { MAX_CONTENTS } from './dtdl/interface.ts'

/** A content of a model. `componentId` is the name of its component, or null for the model itself. */
export type ModelContent = Content & { componentId: string | null }

/** The models that a model references, directly or indirectly, by id. */
type Models = ReadonlyMap<string, Interface>

const MAX_EXTENDS_DEPTH = 10
/** Limits of a model with its components, which can reference a large model many times. */
const MAX_MODEL_CONTENTS = 10_000
const MAX_MODEL_SIZE = 16 * 1024 * 1024

/**
 * @param models all models that the interface references, directly or indirectly; the interface itself is ignored
 * @returns its own contents, then those of each component
 * @throws validation_error for a cycle, too much depth, a duplicate name, components in a component, too many contents
 */
export function resolveModel(model: Interface, models: Models): ModelContent[] {
  const all = new Map(models).set(model.id, model)
  const own = mergeContents(model, all)
  const contents: ModelContent[] = own.contents.map((content) => ({ ...content, componentId: null }))
  let { size } = own
  const known = new Map<Interface, Contents>()
  for (const component of own.contents.filter((content) => content.kind === 'component')) {
    const path = contentPath(model, component)
    const used = component.inline ?? all.get(component.modelId)
    if (!used) return refuse(path, `there is no model ${component.modelId}`)
    const inside = known.get(used) ?? contentsOfComponent(used, all, path)
    known.set(used, inside)
    size += inside.size
    if (contents.length + inside.contents.length > MAX_MODEL_CONTENTS || size > MAX_MODEL_SIZE)
      refuse(
        path,
        `makes the model too large: with those of components it has more than ${MAX_MODEL_CONTENTS} contents, or ${MAX_MODEL_SIZE} characters`,
      )
    for (const content of inside.contents) contents.push({ ...content, componentId: component.name })
  }
  return contents
}

interface Contents {
  contents: Content[]
  size: number
}

const contentPath = (model: Interface, content: Content) => {
  const index = model.contents.indexOf(content)
  return index < 0 ? 'definition.extends' : `definition.contents.${index}`
}

/** "A Component cannot contain another Component." (DTDL reference) */
function contentsOfComponent(model: Interface, models: Models, path: string): Contents {
  const inside = mergeContents(model, new Map(models).set(model.id, model))
  if (inside.contents.some(({ kind }) => kind === 'component'))
    refuse(path, `the model ${model.id} has components, and a component cannot contain another`)
  return inside
}

/** Merges the contents of a model and of all models that it extends. */
function mergeContents(model: Interface, models: Models): Contents {
  const owners = new Map<string, string>()
  const lineage = listLineage(model, models)
  const contents = lineage.flatMap((part) => {
    for (const content of part.contents) {
      const owner = owners.get(content.name)
      if (owner) refuse(contentPath(model, content), `${content.name} is in ${owner} and in ${part.id}`)
      owners.set(content.name, part.id)
    }
    return part.contents
  })
  if (contents.length > MAX_CONTENTS)
    refuse('definition.extends', `brings the contents to ${contents.length}, more than ${MAX_CONTENTS}`)
  return { contents, size: lineage.reduce((sum, part) => sum + part.size, 0) }
}

/** Lists the model and all models that it extends, each once, bases first. */
function listLineage(model: Interface, models: Models): Interface[] {
  const depths = new Map<string, number>()
  const chain: string[] = []
  const visit = (id: string): number => {
    if (chain.includes(id)) refuse('definition.extends', `goes in a circle: ${[...chain, id].join(' → ')}`)
    const known = depths.get(id)
    if (known !== undefined) return known
    chain.push(id)
    const bases = models.get(id)?.extends ?? refuse('definition.extends', `there is no model ${id}`)
    const depth = Math.max(0, ...bases.map((base) => visit(base) + 1))
    chain.pop()
    depths.set(id, depth)
    return depth
  }
  if (visit(model.id) > MAX_EXTENDS_DEPTH)
    refuse('definition.extends', `goes on over more than ${MAX_EXTENDS_DEPTH} models`)
  return [...depths.keys()].map((id) => models.get(id)!)
}
