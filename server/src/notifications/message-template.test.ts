import { expect, test } from 'vitest'
import { renderTemplate, templateIssues, valueText } from './message-template.ts'

const values = {
  alarmName: '{{assetName}}',
  assetName: '$& $1 {{',
  ackUrl: 'u',
  severity: '3',
  value: '1',
  time: 't',
}

test('values are inserted once, whatever they contain', () => {
  expect(renderTemplate('{{alarmName}}|{{ assetName }}|{{value}}{{value}}|{ } }}', values)).toBe(
    '{{assetName}}|$& $1 {{|11|{ } }}',
  )
})

test('unknown variables are refused by name, including names that every object has', () => {
  expect(templateIssues('{{alarmName}} {{constructor}} {{x}}', 'at').map(({ message }) => message)).toEqual([
    expect.stringContaining('{{constructor}}'),
    expect.stringContaining('{{x}}'),
  ])
  expect(templateIssues('{{ {{alarmName}}', 'at')).toMatchObject([
    { message: expect.stringContaining('closes') },
  ])
})

test.each([
  [90.5, '90.5'],
  ['on', 'on'],
  [true, 'true'],
  [null, 'null'],
  [undefined, 'null'],
  [{ a: [1] }, '{"a":[1]}'],
  ['x'.repeat(300), `${'x'.repeat(200)}…`],
])('a value of a sample is shown: %j', (value, text) => {
  expect(valueText(value)).toBe(text)
})
