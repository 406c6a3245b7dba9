/** Themes: a document with a logo, an icon and colors. [docs/files#themes] */
import { writeJson } from '../../../parts/code-editor/write-json.ts'

export interface Theme {
  logo?: string | null
  favicon?: string | null
  colors?: Record<string, string>
}

export const newTheme = { colors: { primary: '#1b57b8' } }

export const isHexColor = (text: string): boolean =>
  /^#([\dA-Fa-f]{3,4}|[\dA-Fa-f]{6}|[\dA-Fa-f]{8})$/.test(text)

/** Reads the known fields of a theme; what has another type counts as absent. */
export function readTheme(document: Record<string, unknown>): Theme {
  const { logo, favicon, colors } = document
  return {
    ...(typeof logo === 'string' && { logo }),
    ...(typeof favicon === 'string' && { favicon }),
    ...(typeof colors === 'object' && colors !== null && { colors: colors as Record<string, string> }),
  }
}

/** Changes the fields in the text of a theme, and keeps all others. */
export function changeTheme(document: Record<string, unknown>, changes: Theme): string {
  return writeJson({ ...document, ...changes })
}
