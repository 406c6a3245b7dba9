import { expect, test } from 'vitest'
import { chooseContentType, isInline } from './content-type.ts'

const png = Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1')
const jpeg = Buffer.from('\xff\xd8\xff\xe0', 'latin1')

test.each([
  ['image/png', png, 'image/png', true],
  ['text/html', png, 'image/png', true],
  ['image/png', jpeg, 'image/jpeg', true],
  ['image/png', Buffer.from('<script>'), 'application/octet-stream', false],
  ['image/jpg', Buffer.from('<script>'), 'application/octet-stream', false],
  ['image/svg+xml', Buffer.from('<svg onload=x>'), 'image/svg+xml', false],
  ['text/html; charset=utf-8', Buffer.from('<p>'), 'text/html', false],
  ['application/xhtml+xml', Buffer.from('<p>'), 'application/xhtml+xml', false],
  ['text/javascript', Buffer.from('x'), 'text/javascript', false],
  ['application/pdf', Buffer.from('%PDF-'), 'application/pdf', false],
  ['text/plain', Buffer.from('<script>'), 'text/plain', true],
  ['a/b\r\nx: y', Buffer.from('x'), 'application/octet-stream', false],
  ['nothing', Buffer.alloc(0), 'application/octet-stream', false],
])('%s', (declared, head, type, inline) => {
  expect([chooseContentType(declared, head), isInline(type)]).toEqual([type, inline])
})
