// Takes the screenshots of the README and the guide: `npm run docs:pictures`, or some of them by name: `npm run
// docs:pictures -- home`. It starts a server with the fleet of harness/picture-fleet.mjs; harness/picture-list.mjs
// lists the pages.
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pictures } from './harness/picture-list.mjs'
import { takePictures } from './harness/take-pictures.mjs'

const folder = new URL('../../docs/pictures/', import.meta.url).pathname
const MOST_BYTES = 200_000
const MOST_BYTES_IN_ALL = 3_000_000

const wanted = process.argv.slice(2)
const isWanted = ({ name, looks }, look) =>
  looks.includes(look) && (wanted.length === 0 || wanted.includes(name))
await mkdir(folder, { recursive: true })
const failures = await takePictures(isWanted, save)
if (failures.length > 0) throw new Error(`Not taken:\n${failures.join('\n')}`)
await requireSmall()
await requireNoneLeft()

/** Playwright writes PNG and JPEG only; WebP of the same quality is a third of the size. */
async function save(context, page, name) {
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  const bytes = Buffer.from(data, 'base64')
  await writeFile(join(folder, `${name}.webp`), bytes)
  await session.detach()
  console.log(`${name}.webp  ${Math.round(bytes.length / 1000)} kB`)
}

/** Limits the size, because every checkout includes the guide. */
async function requireSmall() {
  const names = await readdir(folder)
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))
  const large = names.filter((_name, index) => sizes[index] > MOST_BYTES)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (large.length > 0) throw new Error(`Larger than 200 kB: ${large.join(', ')}`)
  if (total > MOST_BYTES_IN_ALL) throw new Error(`All pictures together have ${total} bytes`)
  console.log(`${names.length} pictures, ${Math.round(total / 1000)} kB`)
}

/** A picture that no entry of the list takes any more would show an older page. */
async function requireNoneLeft() {
  const taken = pictures.flatMap(({ name, looks }) => looks.map((look) => `${name}-${look}.webp`))
  const left = (await readdir(folder)).filter((name) => !taken.includes(name))
  if (left.length > 0) throw new Error(`In no entry of picture-list.mjs: ${left.join(', ')}`)
}
