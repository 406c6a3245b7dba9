// Citations of the guide, `[docs/alarms#states]` in comments and test names, and links between pages: each leads to a page
// and a heading that exist. Citations of documents that are not in the repository are problems.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const CITATION = /\[docs\/([^\]\s#]+)(?:#([^\]\s]*))?\]/g
const LINK = /\]\((?!https?:|mailto:)([^)\s]*)\)/g
const CODE_BLOCK = /^```.*\n[\s\S]*?^```$/gm
/** Sections of documents that readers of the repository do not have. RFCs and public standards may be cited. */
const ABSENT = new RegExp(
  [
    String.raw`\b(?:contract|interface|decisions)\.md\b`,
    'contract §',
    String.raw`\[(?:interface|contract|Events|Rules|Limits|Alarm states|Bootstrap key slots|Device in an enrollment group|Connection parameters|Authentication|Telemetry value types|Onboarding)\b[^\]\n]*\]`,
  ].join('|'),
  'g',
)

/** Released migrations never change, and this check and its test name what they look for. */
const isExempt = (file) => /\/migrations\/|(?:^|\/)citations\.(?:test\.ts|mjs)$/.test(file)

/** @returns the text of each file that may cite the guide, and of its pages, by path */
export function readTexts(root) {
  const patterns = ['*.ts', '*.tsx', '*.mjs', '*.sql', '*.yaml', '*.c', '*.md']
  const listing = execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  const files = listing.split('\n').filter((file) => file !== '' && existsSync(join(root, file)))
  return new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
}

/**
 * @param texts by path
 * @returns a problem for each citation and each link that leads nowhere
 */
export function findCitationProblems(texts, root) {
  const anchors = new Map()
  for (const [file, text] of texts) if (file.endsWith('.md')) anchors.set(file, anchorsIn(text))
  return [...texts].flatMap(([file, text]) => {
    if (file.endsWith('.md')) return findWrongLinks(file, text, { root, anchors })
    return isExempt(file) ? [] : findWrongCitations(file, text, anchors)
  })
}

/** @returns the anchors that GitHub makes of the headings */
function anchorsIn(markdown) {
  const headings = withoutCode(markdown).matchAll(/^#{1,6} (.+)$/gm)
  return new Set(Array.from(headings, ([, heading]) => makeAnchor(heading)))
}

const makeAnchor = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

/** Lines keep their numbers. */
const withoutCode = (markdown) => markdown.replaceAll(CODE_BLOCK, (block) => block.replaceAll(/[^\n]/g, ''))

/** @param anchors of each page, by its path */
function findWrongCitations(file, text, anchors) {
  const absent = [...text.matchAll(ABSENT)].map(
    (match) => `${formatPlace(file, match)} cites ${match[0]}, which is not in the repository`,
  )
  const wrong = [...text.matchAll(CITATION)]
    .filter(([, page, anchor]) => !hasHeading(anchors.get(`docs/${page}.md`), anchor))
    .map((match) => `${formatPlace(file, match)} cites ${match[0]}, and docs/ has no such page or heading`)
  return [...absent, ...wrong]
}

function findWrongLinks(file, text, { root, anchors }) {
  return [...withoutCode(text).matchAll(LINK)]
    .filter(([, link]) => {
      const [path, anchor] = link.split('#')
      const target = path === '' ? file : normalize(join(dirname(file), path))
      if (anchors.has(target)) return !hasHeading(anchors.get(target), anchor)
      return !existsSync(join(root, target))
    })
    .map((match) => `${formatPlace(file, match)} links to ${match[1]}, which is not there`)
}

const hasHeading = (headings, anchor) =>
  headings !== undefined && (anchor === undefined || headings.has(anchor))

const formatPlace = (file, { input, index }) => `${file}:${input.slice(0, index).split('\n').length}`
