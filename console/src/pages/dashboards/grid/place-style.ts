import type { Position } from '../board/board.ts'

/** The place of a widget on the grid; `--h` is its height in rows, which a phone keeps. */
export const placeStyle = ({ x, y, w, h }: Position) =>
  ({
    '--place-column': `${x + 1} / span ${w}`,
    '--place-row': `${y + 1} / span ${h}`,
    '--place-height': h,
  }) as React.CSSProperties
