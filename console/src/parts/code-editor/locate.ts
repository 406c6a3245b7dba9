/** Locates the values of a JSON text, so that problems can be marked by path. */

export interface Place {
  /** Offsets in the text. */
  from: number
  to: number
}

interface Node extends Place {
  /** The values of an object by key, or of a list by index, with the places of the keys. */
  children: Map<string, { key: Place; node: Node }>
}

export type LocatedJson =
  | { root: Node; wrongAt: null }
  /** The place of the syntax error. */
  | { root: null; wrongAt: Place }

/** Parses a text as strictly as `JSON.parse`. */
export function locateJson(text: string): LocatedJson {
  const reader = { text, at: 0 }
  try {
    const root = readNode(reader)
    skipSpace(reader)
    if (reader.at < text.length) throw new WrongJson()
    return { root, wrongAt: null }
  } catch (error) {
    if (!(error instanceof WrongJson)) throw error
    const from = Math.min(reader.at, Math.max(0, text.length - 1))
    return { root: null, wrongAt: { from, to: Math.min(text.length, from + 1) } }
  }
}

/**
 * @param path such as `contents.0.schema`; a key may contain dots
 * @returns the place of the value; if there is none, that of the last key or object on the path that exists
 */
export function findPlace(root: Node, path: string): Place {
  let [node, rest, key]: [Node, string, Place] = [root, path, startOf(root)]
  while (rest !== '') {
    const name = longestKey(node, rest)
    if (name === undefined) return key
    const child = node.children.get(name)!
    rest = rest.slice(name.length + 1)
    ;[node, key] = [child.node, child.key]
  }
  return node.children.size > 0 ? key : node
}

/** The line and column of an offset, both from 1. */
export function findLine(text: string, offset: number) {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}

/** Only the first character of a list or object is marked, because marking all of its text would be too much. */
const startOf = ({ from, to }: Node): Place => ({ from, to: Math.min(to, from + 1) })

function longestKey(node: Node, rest: string): string | undefined {
  const fits = [...node.children.keys()].filter((key) => rest === key || rest.startsWith(`${key}.`))
  return fits.toSorted((a, b) => b.length - a.length)[0]
}

class WrongJson extends Error {}

interface Reader {
  text: string
  at: number
}

const MAX_DEPTH = 500
const SPACE = /[ \t\n\r]*/y
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// oxlint-disable-next-line no-control-regex
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y

function take(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)?.[0]
  reader.at += found?.length ?? 0
  return found
}

const skipSpace = (reader: Reader) => void take(reader, SPACE)

function readNode(reader: Reader, depth = 0): Node {
  skipSpace(reader)
  const from = reader.at
  const children: Node['children'] = new Map()
  const opening = reader.text[from]
  if (depth > MAX_DEPTH) throw new WrongJson()
  if (opening === '{') readItems(reader, '}', () => addField(reader, children, depth))
  else if (opening === '[') readItems(reader, ']', () => addItem(reader, children, depth))
  else if (take(reader, opening === '"' ? STRING : SCALAR) === undefined) throw new WrongJson()
  return { from, to: reader.at, children }
}

function readItems(reader: Reader, closing: string, readItem: () => void) {
  reader.at++
  skipSpace(reader)
  if (reader.text[reader.at] !== closing)
    for (;;) {
      readItem()
      skipSpace(reader)
      if (reader.text[reader.at] !== ',') break
      reader.at++
    }
  if (reader.text[reader.at] !== closing) throw new WrongJson()
  reader.at++
}

function addField(reader: Reader, children: Node['children'], depth: number) {
  skipSpace(reader)
  const from = reader.at
  const quoted = take(reader, STRING)
  if (quoted === undefined) throw new WrongJson()
  const key = { from, to: reader.at }
  skipSpace(reader)
  if (reader.text[reader.at] !== ':') throw new WrongJson()
  reader.at++
  children.set(JSON.parse(quoted) as string, { key, node: readNode(reader, depth + 1) })
}

function addItem(reader: Reader, children: Node['children'], depth: number) {
  const node = readNode(reader, depth + 1)
  children.set(String(children.size), { key: startOf(node), node })
}
