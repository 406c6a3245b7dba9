import { expect, test } from 'vitest'
import { mapEach, textPieces } from './text-pieces.ts'

test('short texts share pieces, a long one ends its piece, and joined they are all there', () => {
  const texts = Array.from({ length: 3000 }, (_, index) => `${index} ${'x'.repeat(100)}`)
  const pieces = [...textPieces(texts, ',')]
  expect(pieces.join(',')).toBe(texts.join(','))
  expect(pieces.length).toBeLessThan(10)
  for (const piece of pieces) expect(piece.length).toBeLessThan(70_000)
  const long = 'y'.repeat(100_000)
  expect([...textPieces(['a', long, long, 'b'])]).toEqual([`a${long}`, long, 'b'])
  expect([...textPieces([])]).toEqual([])
})

test('no text is made before its piece is asked for', () => {
  const made: number[] = []
  const pieces = textPieces(
    mapEach([1, 2, 3], (item) => {
      made.push(item)
      return 'z'.repeat(100_000)
    }),
  )
  pieces.next()
  expect(made).toEqual([1])
})
