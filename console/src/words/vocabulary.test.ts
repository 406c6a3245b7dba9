import { expect, test } from 'vitest'

/** Words that a German reader would take for another thing than the rest of the catalogue means. */
const avoided = [
  // An asset is often one machine of many in a plant, and German operators call the plant "Anlage".
  { pattern: /\bAnlagen?\b/, use: 'Asset' },
  // An alarm that has ended may still be open.
  { pattern: /\bbeendete[nr]? Alarm/i, use: 'aufgehobener Alarm' },
  { pattern: /Schweregrad/, use: 'Schwere' },
]

const files = import.meta.glob<string>('./de/*.ts', { query: '?raw', import: 'default', eager: true })

test('German texts have one word for each concept', () => {
  expect(Object.keys(files)).toContain('./de/assets.ts')
  const found = Object.entries(files).flatMap(([name, text]) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        avoided
          .filter(({ pattern }) => pattern.test(line))
          .map(({ use }) => `${name}:${index + 1} should say ${use}: ${line.trim()}`),
      ),
  )
  expect(found).toEqual([])
})
