// Files, documents and themes for tests and screenshots.
import { hostileNames } from './fixtures.mjs'

/** A PNG of one pixel. */
export const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Makes a picture that two themes use, a manual, and documents with hostile names. */
export async function makeFiles(api) {
  const upload = async (displayName, content, { type = 'image/png', tags = {} } = {}) => {
    const form = new FormData()
    form.append('displayName', displayName)
    form.append('tags', JSON.stringify(tags))
    form.append('file', new Blob([content], { type }), displayName)
    return (await api('POST', '/v1/resources/upload', form)).id
  }
  const logo = await upload('Logo', pixel, { tags: { type: 'logo' } })
  const manual = await upload('Manual', 'Turn the pump off first.\n'.repeat(40), {
    type: 'text/plain',
    tags: { type: 'manual', [hostileNames[0]]: hostileNames[1] },
  })
  const documents = []
  for (const displayName of hostileNames)
    documents.push((await api('POST', '/v1/resources', { displayName, document: { early: ['Anna'] } })).id)
  const themes = []
  for (const displayName of [hostileNames[0], 'House colors'])
    themes.push(
      (
        await api('POST', '/v1/resources', {
          displayName,
          tags: { theme: 'default' },
          document: { logo, colors: { primary: '#0055aa', warning: '#aa5500' } },
        })
      ).id,
    )
  return { logo, manual, documents, themes, upload }
}
