import { buildPath, type ListPath, type Method, type PathFor, type RequestOptions } from '@gangway/client'

/** A request that a page shows as code. */
export interface CodeExample {
  method: Method | 'list'
  path: string
  options: { path?: Record<string, string>; query?: Record<string, unknown>; body?: unknown }
}

/** Takes what the page itself gives to the client: `example('get', '/v1/assets', { query: { limit: 100 } })`. */
export const example = <M extends Method, P extends PathFor<M>>(
  method: M,
  path: P,
  ...[options]: OptionsArgument<RequestOptions<M, P>>
): CodeExample => ({ method, path, options: (options ?? {}) as CodeExample['options'] })

/** The same for a list, whose pages the TypeScript example reads one after another. */
export const listExample = <P extends ListPath>(
  path: P,
  ...[options]: OptionsArgument<RequestOptions<'get', P>>
): CodeExample => ({ method: 'list', path, options: (options ?? {}) as CodeExample['options'] })

type OptionsArgument<Options> = {} extends Options ? [options?: Options] : [options: Options]

export function writeCurl({ method, path, options }: CodeExample, origin: string): string {
  const verb = method === 'list' ? 'GET' : method.toUpperCase()
  const query = new URLSearchParams(
    Object.entries(options.query ?? {}).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((one) => [name, String(one)] as [string, string]),
    ),
  ).toString()
  const address = origin + buildPath(path as never, options.path as never) + (query && `?${query}`)
  const lines = [
    `curl ${verb === 'GET' ? '' : `-X ${verb} `}${quote(address)}`,
    `-H "Authorization: Bearer $TOKEN"`,
  ]
  if (options.body !== undefined)
    lines.push(`-H 'Content-Type: application/json'`, `-d ${quote(JSON.stringify(options.body))}`)
  return lines.join(' \\\n  ')
}

/** For a shell: nothing in it is expanded. */
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

export function writeTypeScript(examples: CodeExample[], origin: string): string {
  const calls = examples.map(writeCall)
  return [
    `import { connect } from '@gangway/client'`,
    '',
    `const gangway = connect({ url: ${JSON.stringify(origin)}, token: process.env.TOKEN })`,
    ...calls,
  ].join('\n')
}

function writeCall({ method, path, options }: CodeExample) {
  const given = Object.entries(options).filter(([name, value]) => value !== undefined && name !== 'signal')
  const written = given.length > 0 ? `, ${writeValue(Object.fromEntries(given))}` : ''
  const call = `gangway.${method}('${path}'${written})`
  return method === 'list'
    ? `for await (const entry of ${call}) console.log(entry)`
    : `console.log(await ${call})`
}

/** A literal of TypeScript. */
function writeValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(writeValue).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  const fields = Object.entries(value).filter(([, one]) => one !== undefined)
  if (fields.length === 0) return '{}'
  return `{ ${fields.map(([name, one]) => `${writeName(name)}: ${writeValue(one)}`).join(', ')} }`
}

function writeName(name: string): string {
  // In a literal, `__proto__` would be the prototype.
  if (name === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
}
