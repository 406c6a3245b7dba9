import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineSplitter } from './split-lines.ts'

function split(chunks: Buffer[], maxLineBytes = 16) {
  const lines: string[] = []
  const splitter = createLineSplitter(maxLineBytes, (line) => lines.push(line.toString()))
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return lines
}

test('the lines do not depend on the chunks, even if a chunk ends inside a character', () => {
  const text = fc.array(
    fc.string({ unit: 'grapheme', maxLength: 12 }).map((line) => line.replaceAll('\n', '')),
    { maxLength: 20 },
  )
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 200 })), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
      const edges = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length]
      const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge))
      expect(split(chunks, 1000)).toEqual(lines)
    }),
  )
})

test('a last line without a newline counts, and a line that is too long does not affect the next one', () => {
  expect(split([Buffer.from('a\n\nb')])).toEqual(['a', '', 'b'])
  expect(split([Buffer.from(`${'x'.repeat(17)}\n${'y'.repeat(16)}\nz`)])).toEqual([
    'too long',
    'y'.repeat(16),
    'z',
  ])
  expect(split([Buffer.from('x'.repeat(10)), Buffer.from('x'.repeat(10)), Buffer.from('x\nb')])).toEqual([
    'too long',
    'b',
  ])
  expect(split([])).toEqual([])
})
