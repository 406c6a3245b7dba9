import { expect, test } from 'vitest'
import { expectLinearGrowth } from '../../test/harness/processor-time.ts'
import { escapeHtml, htmlOfText, isHtml, textOfHtml } from './html.ts'

test.each([
  ['<p>{{alarmName}}</p>', true],
  ['one<br>two', true],
  ['one<BR/>two', true],
  ['{{value}} < 5 and > 3', false],
  ['a <b and c> d', false],
])('%j is HTML: %s', (template, expected) => {
  expect(isHtml(template)).toBe(expected)
})

test('plain text becomes HTML with the same text and a link', () => {
  expect(htmlOfText('{{value}} < 5 & "x"\r\n{{ ackUrl }}')).toBe(
    '<p>{{value}} &lt; 5 &amp; &quot;x&quot;<br>\n<a href="{{ackUrl}}">{{ackUrl}}</a></p>',
  )
})

test('HTML becomes text with its lines and the addresses of its links', () => {
  const html = `<style>p { color: red }</style><h1>Alarm</h1>
    <p>{{assetName}} is<br>too <b>hot</b> &amp;amp; &lt;loud&gt;</p>
    <a class="x" href="{{ackUrl}}">Acknowledge</a> or <a href='https://example.com/'>https://example.com/</a>`
  expect(textOfHtml(html)).toBe(
    'Alarm\n{{assetName}} is\ntoo hot &amp; <loud>\nAcknowledge ({{ackUrl}}) or https://example.com/',
  )
})

test.each(['<a ', '<a href="', '<style', '<', '</p', '<a href="x">', '{{', ' \n'])(
  'the work on a template of many %j grows linearly with its length',
  (part) => {
    const read = (length: number) => {
      const html = `${part.repeat(length / part.length)}</p>`
      return () => void textOfHtml(html)
    }
    expectLinearGrowth(read, 65_536)
  },
)

test('values in a tag or an attribute are escaped', () => {
  expect(escapeHtml(`<a href='x' title="y">&`)).toBe('&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;')
})
