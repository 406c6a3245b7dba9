import { expect, test } from 'vitest'
import { spreadsheetText, writeCsv } from './download.ts'

test('values are written exactly, and quoted where CSV needs it', () => {
  expect(writeCsv([['pump-1', '+ykXMLKzxNQjmhf9vYlU3A==', null, -1]])).toBe(
    'pump-1,+ykXMLKzxNQjmhf9vYlU3A==,,-1\r\n',
  )
  expect(writeCsv([['a,b', 'say "no"', 'two\r\nlines']])).toBe('"a,b","say ""no""","two\r\nlines"\r\n')
})

test('text that a spreadsheet would execute is marked as text', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', ' =1', '|calc'])
    expect(spreadsheetText(text)).toBe(`'${text}`)
  expect(spreadsheetText('no spaces')).toBe('no spaces')
})
