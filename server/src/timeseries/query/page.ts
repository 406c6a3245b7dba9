/** Pages of points of an answer, as texts, so that only one page of an answer is in memory at a time. */
import type { PointFormat } from './point-format.ts'
import type { VisitPoint } from './sample-cursor.ts'

export interface Page {
  /** At least one piece. Pieces are short, because a text of more than 128 KiB stays in memory for long after it was sent. */
  pieces: string[]
  /** The number of points in all pieces. */
  count: number
}

/** Format and limit that apply to all pages of one answer. */
export interface Output {
  format: PointFormat
  /** The maximum number of points on all pages together. */
  limit: number
}

/** @returns the texts to send: a long text is not copied only to put a short one in front of it */
export const joinPieces = (before: string, piece: string): string[] =>
  piece.length > PIECE_LENGTH && before ? [before, piece] : [before + piece]

/** Once the limit is reached, one more point is requested, which shows whether the answer is complete. */
export const pointsOfPage = (most: number, left: number) => Math.max(1, Math.min(most, left))

const PIECE_LENGTH = 96 * 1024

export interface PageLimits {
  points: number
  /** Number of characters after which no further point is added. A single value has up to a million. */
  length: number
}

export interface PageWriter {
  add: VisitPoint
  isFull(): boolean
  /** @returns the page, or undefined if it has no points */
  finish(): Page | undefined
}

export function createPageWriter({ point, separator }: PointFormat, limits: PageLimits): PageWriter {
  const pieces: string[] = []
  let texts: string[] = []
  let [count, length, pieceLength] = [0, 0, 0]
  const finishPiece = () => {
    if (texts.length > 0) pieces.push(texts.join(separator))
    texts = []
    length += pieceLength
    pieceLength = 0
  }
  return {
    add: (timeMs, number, other) => {
      const text = point(timeMs, number, other)
      texts.push(text)
      count++
      pieceLength += text.length
      if (pieceLength >= PIECE_LENGTH) finishPiece()
    },
    isFull: () => count >= limits.points || length + pieceLength >= limits.length,
    finish: () => {
      finishPiece()
      return count > 0 ? { pieces, count } : undefined
    },
  }
}
