import type { Schemas } from '@gangway/client'

export type Resource = Schemas['Resource']

export const resourceRoute = '/v1/resources/{resourceId}'

type ResourceKind = 'file' | 'document' | 'theme'

/** A document with the tag `theme` is a theme; a file with it is a file. [docs/files#themes] */
export function readKind({ document, tags }: Pick<Resource, 'document' | 'tags'>): ResourceKind {
  if (document === undefined) return 'file'
  return Object.hasOwn(tags, 'theme') ? 'theme' : 'document'
}

/** The name under which it is saved on the user's computer. */
export const chooseFileName = ({ originalFileName, displayName }: Resource): string =>
  originalFileName ?? `${displayName.replaceAll(/[\p{C}/\\:*?"<>|]/gu, '_')}.json`

/** Writes a tag for the filter of lists. [docs/files#tags] */
export const writeTagFilter = (key: string, value: string): string => `${escape(key)}:${escape(value)}`

const escape = (text: string) => text.replaceAll(/[\\:|]/g, String.raw`\$&`)

/** Reads what `writeTagFilter` wrote. */
export const readTagFilter = (text: string): string =>
  text.replace(/(?<!\\)((?:\\\\)*):/, '$1: ').replaceAll(/\\([\\:|])/g, '$1')
