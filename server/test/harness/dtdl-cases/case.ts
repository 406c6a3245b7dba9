/**
 * Cases of DTDL with the verdict of the specification. They cover, in our own words, the rules that the test cases of the
 * Digital Twin Consortium's parser (https://github.com/digitaltwinconsortium/DTDLParser) probe for one interface.
 */
import { having, pump, telemetry } from '../dtdl.ts'

export type Version = 2 | 3
/** The versions of DTDL that allow it. */
export type Allowed = 'v2' | 'v3' | 'both' | 'neither'
/** Which versions allow it, what it is, and the definition for a version. */
export type Case = [Allowed, string, (version: Version) => unknown]

export const isAllowed = (allowed: Allowed, version: Version): boolean =>
  allowed === 'both' || allowed === `v${version}`

export const language = (version: Version) => `dtmi:dtdl:context;${version}`

/** An interface with these fields. */
export const model =
  (fields: object) =>
  (version: Version): object =>
    pump(fields, version)

/** An interface with this one content. */
export const content =
  (fields: object) =>
  (version: Version): object =>
    having(fields, version)

/** An interface with telemetry of this schema. */
export const schema = (value: unknown, fields: object = {}) => content(telemetry(value, fields))

export const property = (fields: object) =>
  content({ '@type': 'Property', name: 'p', schema: 'double', ...fields })
export const relationship = (fields: object) => content({ '@type': 'Relationship', name: 'r', ...fields })
export const component = (fields: object) =>
  content({ '@type': 'Component', name: 'c', schema: 'dtmi:com:example:Motor;1', ...fields })
export const command = (fields: object) => content({ '@type': 'Command', name: 'c', ...fields })

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** The contents in these contexts. */
export const within =
  (named: (version: Version) => unknown, ...contents: object[]) =>
  (version: Version) =>
    model({ '@context': named(version), contents })(version)

export const extension = (name: string, number = 1) => `dtmi:dtdl:extension:${name};${number}`
/** DTDL and these contexts. */
export const also =
  (...contexts: unknown[]) =>
  (version: Version) => [language(version), ...contexts]

/** Telemetry with another type beside its class. */
export const typed = (type: unknown, fields: object = {}, value: unknown = 'double') =>
  telemetry(value, { '@type': ['Telemetry', type], ...fields })
export const beside = (type: unknown, fields: object = {}) => content(typed(type, fields))
