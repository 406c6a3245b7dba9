/** Types that DTDL's own extensions add, and what each of them may stand on. All of them are for DTDL v3. */
import { type Document, type Element, refuse } from './document.ts'

const data = ['Telemetry', 'Property']

const extensions: Record<string, Record<string, string[]>> = {
  annotation: { ValueAnnotation: data },
  historization: { Historized: data },
  initialization: { Initialized: ['Property'] },
  overriding: { Override: data },
  requirement: { Required: ['Field'] },
}

/** A type of an extension that `@context` does not name is no type of that extension. */
export function checkExtensionTypes(
  { version, contexts }: Document,
  { type, otherTypes, path }: Element,
): void {
  for (const [extension, types] of Object.entries(extensions)) {
    if (!contexts.some((context) => context.startsWith(`dtmi:dtdl:extension:${extension};`))) continue
    const other = otherTypes.find((name) => Object.hasOwn(types, name))
    if (other === undefined || (version === 3 && types[other]!.includes(type))) continue
    refuse(`${path}.@type`, `must not have ${other}, which is for ${types[other]!.join(', ')} of DTDL v3`)
  }
}
