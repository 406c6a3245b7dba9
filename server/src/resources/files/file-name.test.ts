import { expect, test } from 'vitest'
import { cleanFileName, contentDisposition } from './file-name.ts'

test.each([
  ['plan.pdf', 'plan.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\me\\plan.pdf', 'plan.pdf'],
  ['..', 'file'],
  ['', 'file'],
  ['/', 'file'],
  ['.hidden', 'hidden'],
  ['a\u0000b.txt', 'ab.txt'],
  ['a\r\nSet-Cookie: x=y', 'aSet-Cookie: x=y'],
  ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
  ['\u2066x\u2069.txt', 'x.txt'],
  ['half\ud800.txt', 'half\ufffd.txt'],
  ['Prüfung 日本 🚀.txt', 'Prüfung 日本 🚀.txt'],
])('%j becomes %j', (given, clean) => {
  expect(cleanFileName(given)).toBe(clean)
})

test('a long name is shortened before its extension, and never inside a character', () => {
  expect(cleanFileName(`${'a'.repeat(1000)}.png`)).toBe(`${'a'.repeat(251)}.png`)
  expect(cleanFileName('🚀'.repeat(500))).toBe('🚀'.repeat(127))
})

test('any name can be written into a header [RFC 6266]', () => {
  expect(contentDisposition('attachment', `é"\\%'(1)*.txt`)).toBe(
    `attachment; filename="____'(1)*.txt"; filename*=UTF-8''%C3%A9%22%5C%25%27%281%29%2A.txt`,
  )
})
