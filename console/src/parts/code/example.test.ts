import { expect, test } from 'vitest'
import { type CodeExample, example, listExample, writeCurl, writeTypeScript } from './example.ts'

const origin = 'https://gangway.example.com'
const hostile = {
  text: 'x,y: z',
  json: '{"a":1,"b":2}',
  quotes: `"double" 'single' \`back\` \${no}`,
  'a key, with: signs': [1, { 'two-2': null }],
  nothing: undefined,
  ['__proto__']: 3,
  none: {},
  list: [],
}
const post = { method: 'post', path: '/v1/assets', options: { body: hostile } } as CodeExample

/** The argument of the call that the code contains. */
const readOptions = (code: string) => {
  const [, literal] = /gangway\.post\('[^']*', (.*)\)\)$/s.exec(code)!
  // oxlint-disable-next-line no-eval -- the code under test is a program
  return (0, eval)(`(${literal})`)
}

test('the TypeScript example has the values of the request, whatever they contain', () => {
  const { body } = readOptions(writeTypeScript([post], origin))
  expect(JSON.stringify(body)).toBe(JSON.stringify(hostile))
  expect(Object.keys(body)).toContain('__proto__')
})

test('the TypeScript example reads like code that was written by hand', () => {
  const list = listExample('/v1/assets', { query: { limit: 100, search: 'x,y: z' } })
  const one = example('get', '/v1/assets/{assetId}', { path: { assetId: 'pump-7' } })
  expect(writeTypeScript([list, one, example('get', '/v1/endpoints')], origin))
    .toBe(`import { connect } from '@gangway/client'

const gangway = connect({ url: "https://gangway.example.com", token: process.env.TOKEN })
for await (const entry of gangway.list('/v1/assets', { query: { limit: 100, search: "x,y: z" } })) console.log(entry)
console.log(await gangway.get('/v1/assets/{assetId}', { path: { assetId: "pump-7" } }))
console.log(await gangway.get('/v1/endpoints'))`)
})

test('curl gets the path, the query and the body as the client would send them', () => {
  const request = {
    method: 'put',
    path: '/v1/assets/{assetId}',
    options: {
      path: { assetId: 'a/b' },
      query: { tag: ['x y', 'z&'], left: undefined },
      body: { it: "isn't" },
    },
  } as unknown as CodeExample
  expect(writeCurl(request, origin))
    .toBe(`curl -X PUT 'https://gangway.example.com/v1/assets/a%2Fb?tag=x+y&tag=z%26' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"it":"isn'\\''t"}'`)
})
