/** Checks annotations of DTDL v3, which describe another content of the same interface or override its unit. */
import { type Element, fieldPart, readReference, refuse, readText } from './document.ts'
import { data, isAddedType } from './extensions.ts'
import { isQuantity, unitSchema } from './quantities.ts'

const hasType = (element: Element, type: string) =>
  element.otherTypes.includes(type) && isAddedType(element, type)

/**
 * An annotation may also refer to a content of another interface, which is not checked. @param elements the contents of
 * one interface
 */
export function checkAnnotations(elements: Element[]): void {
  const byName = new Map(elements.map((element) => [readText(fieldPart(element, 'name'), 512), element]))
  const overridden = new Set<Element>()
  for (const element of elements.filter((one) => hasType(one, 'ValueAnnotation'))) {
    const part = fieldPart(element, 'annotates')
    const target = byName.get(readText(part, 512))
    if (!target) continue
    if (!data.includes(target.type) || hasType(target, 'ValueAnnotation'))
      refuse(part.path, `must name ${data.join(' or ')}, and none that annotates another one`)
    if (!hasType(element, 'Override')) continue
    checkOverride(element, target)
    if (overridden.has(target)) refuse(part.path, 'names a content of which the unit is overridden already')
    overridden.add(target)
  }
}

/** An override may only replace a unit by another one of the same quantity. */
function checkOverride(element: Element, target: Element): void {
  const quantity = target.otherTypes.find(isQuantity)
  const part = fieldPart(element, 'overrides')
  if (readText(part, 512) !== 'unit' || !quantity)
    refuse(part.path, 'must be unit, and annotates must name a content with a quantity such as Temperature')
  const schema = readReference(fieldPart(element, 'schema'))
  const expected = unitSchema(quantity!)
  if (schema.value !== expected)
    refuse(schema.path, `must be ${expected}, since it overrides the unit of ${quantity}`)
}
