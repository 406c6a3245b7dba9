/**
 * Parses the data sets of a block: `code(value*unit)(value)…`. A line may hold several, and one may span several lines.
 * [IEC 62056-21, 6.6]
 */
import { printable } from '../../json-object.ts'
import { UnreadableError } from '../../unreadable.ts'
import { endsPiece } from '../parser.ts'
import { MAX_SIGNALS, tooManySignals } from '../../signal-limit.ts'

export interface DataSet {
  code: string
  /** Contents of the brackets. */
  values: string[]
}

/** Values and their times: two for each signal that a message may have, and some more. */
const MAX_VALUES = 2.5 * MAX_SIGNALS

/** Yields between parts of the work. @throws UnreadableError */
export function* readDataSets(block: string): Generator<void, DataSet[]> {
  const dataSets: DataSet[] = []
  let count = 0
  const pattern = /\s*([!-'*-~]{0,32})\(([ -'*-~]*)\)/y
  for (;;) {
    const at = pattern.lastIndex
    const match = pattern.exec(block)
    if (!match) {
      if (block.slice(at).trim() === '') return dataSets
      throw notADataSet(block, at)
    }
    if (count++ === MAX_VALUES) throw tooManySignals()
    if (endsPiece(count)) yield
    const [, code, value] = match as unknown as [string, string, string]
    if (code !== '') dataSets.push({ code: code.replace(/\*255$/, ''), values: [value] })
    else if (dataSets.length > 0) dataSets.at(-1)!.values.push(value)
    else throw notADataSet(block, at)
  }
}

function notADataSet(block: string, at: number): UnreadableError {
  const before = block.slice(0, at)
  const text = block
    .slice(at)
    .trim()
    .split(/[\r\n]/)[0]!
    .slice(0, 40)
  const line = before.split('\n').length + (/^\s*\n/.test(block.slice(at)) ? 1 : 0)
  return new UnreadableError(
    'bad_format',
    `Line ${line} of the data: ${printable(text)} is no data set such as 1.8.0(000123.4*kWh).`,
  )
}
