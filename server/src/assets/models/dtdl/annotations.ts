/** Annotations of DTDL v3: a content says something about another one of its interface, or overrides the unit of it. */
import { type Element, partOf, referenceOf, refuse, textOf } from './document.ts'
import { data, isAddedType } from './extensions.ts'
import { isQuantity, unitSchemaOf } from './quantities.ts'

const isOf = (element: Element, type: string) =>
  element.otherTypes.includes(type) && isAddedType(element, type)

/** An annotation may also be of a content that another interface brings. @param elements contents of one interface */
export function checkAnnotations(elements: Element[]): void {
  const byName = new Map(elements.map((element) => [textOf(partOf(element, 'name'), 512), element]))
  const overridden = new Set<Element>()
  for (const element of elements.filter((one) => isOf(one, 'ValueAnnotation'))) {
    const part = partOf(element, 'annotates')
    const target = byName.get(textOf(part, 512))
    if (!target) continue
    if (!data.includes(target.type) || isOf(target, 'ValueAnnotation'))
      refuse(part.path, `must name ${data.join(' or ')}, and none that annotates another one`)
    if (!isOf(element, 'Override')) continue
    checkOverride(element, target)
    if (overridden.has(target)) refuse(part.path, 'names a content of which the unit is overridden already')
    overridden.add(target)
  }
}

/** Only a unit can be overridden, by one of the same quantity. */
function checkOverride(element: Element, target: Element): void {
  const quantity = target.otherTypes.find(isQuantity)
  const part = partOf(element, 'overrides')
  if (textOf(part, 512) !== 'unit' || !quantity)
    refuse(part.path, 'must be unit, and annotates must name a content with a quantity such as Temperature')
  const schema = referenceOf(partOf(element, 'schema'))
  const expected = unitSchemaOf(quantity!)
  if (schema.value !== expected)
    refuse(schema.path, `must be ${expected}, since it overrides the unit of ${quantity}`)
}
