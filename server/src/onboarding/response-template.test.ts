import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  compileTemplate,
  MAX_TEMPLATE_DEPTH,
  type Template,
  findTemplateIssues,
  templateVariables,
} from './response-template.ts'

const renderTemplate = (template: Template, by: typeof values) => JSON.parse(compileTemplate(template)(by))

const values = {
  'device.id': 'pump-7',
  'device.primary_key': 'cHJpbWFyeQ==',
  'device.secondary_key': 'c2Vjb25kYXJ5',
  'target.host': 'mqtt.example.com',
  'target.port': 8883,
}

test('[docs/onboarding#response-templates] a value that is exactly {{target.port}} is an integer, inside a longer string it is text', () => {
  const template = {
    port: '{{target.port}}',
    url: 'mqtts://{{target.host}}:{{target.port}}',
    auth: { user: '{{device.id}}', keys: ['{{device.primary_key}}', '{{ device.secondary_key }}'] },
    kept: [1, true, null, 'text'],
  }
  expect(findTemplateIssues(template)).toEqual([])
  expect(renderTemplate(template, values)).toEqual({
    port: 8883,
    url: 'mqtts://mqtt.example.com:8883',
    auth: { user: 'pump-7', keys: ['cHJpbWFyeQ==', 'c2Vjb25kYXJ5'] },
    kept: [1, true, null, 'text'],
  })
})

test.each([
  [{ a: { b: ['x', '{{device.name}}'] } }, 'response_template.a.b.1', 'unknown variable {{device.name}}'],
  [{ a: '{{}}' }, 'response_template.a', 'unknown variable {{}}'],
  [{ a: '{{constructor}}' }, 'response_template.a', 'unknown variable {{constructor}}'],
  [{ a: '{{__proto__}}' }, 'response_template.a', 'unknown variable'],
  [{ a: '{{device.id}' }, 'response_template.a', 'without a closing }}'],
  [{ '{{device.id}}': 1 }, 'response_template.{{device.id}}', 'in the value'],
  [{ a: '{{device.id}}'.repeat(101) }, 'response_template', 'more than 100 variables'],
  [{ a: 'x'.repeat(65 * 1024) }, 'response_template', 'larger than'],
])(
  '[docs/onboarding#response-templates] unknown variables and templates that cannot be rendered are refused: %#',
  (template, path, message) => {
    expect(findTemplateIssues(template)).toEqual([{ path, message: expect.stringContaining(message) }])
  },
)

test('the depth of a template is limited', () => {
  const nested = (levels: number) => JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels)) as Template
  expect(findTemplateIssues(nested(MAX_TEMPLATE_DEPTH))).toEqual([])
  expect(findTemplateIssues(nested(MAX_TEMPLATE_DEPTH + 1))).toMatchObject([
    { message: expect.stringContaining('deeper') },
  ])
})

test('values that look like templates or replacement patterns are not interpreted', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('{{device.primary_key}}', '{{target.port}}', '$&', '$1', '{{'),
  )
  fc.assert(
    fc.property(text, fc.constantFrom(...templateVariables), text, (value, variable, around) => {
      const plain = around.replaceAll('{', '(')
      const rendered = renderTemplate(
        { alone: `{{${variable}}}`, inside: `${plain}{{${variable}}}${plain}`, [plain]: plain },
        { ...values, [variable]: value },
      )
      expect(rendered).toEqual({ alone: value, inside: plain + value + plain, [plain]: plain })
    }),
  )
})

test('every valid template renders to the same shape and is not modified', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (template) => {
      fc.pre(findTemplateIssues(template as Template).length === 0)
      const before = JSON.stringify(template)
      expect(JSON.stringify(renderTemplate(template as Template, values))).toBe(before)
      expect(JSON.stringify(template)).toBe(before)
    }),
  )
})

test('a key named __proto__ is treated like any other key', () => {
  const template = JSON.parse('{"__proto__": {"polluted": "{{device.id}}"}}') as Template
  const rendered = renderTemplate(template, values)
  expect(JSON.stringify(rendered)).toBe('{"__proto__":{"polluted":"pump-7"}}')
  expect(Object.getPrototypeOf(rendered)).toBe(Object.prototype)
  expect(({} as { polluted?: string }).polluted).toBeUndefined()
})
