/** The table of settings in README.md. */
import { settings } from '../config.ts'

const START = '<!-- written by `npm run generate` from server/src/config.ts -->\n'
const END = '<!-- end -->\n'

/** @returns the README with its table written again */
export function describeSettings(readme: string): string {
  const [before, rest] = readme.split(START)
  const [, after] = rest!.split(END)
  const rows = Object.values(settings).map(({ variable, defaultText, absent, description }) => {
    const shownDefault = defaultText ? `\`${defaultText}\`` : absent
    return `| \`${variable}\` |${cell(shownDefault)}|${cell(description)}|\n`
  })
  return `${before}${START}\n| variable | default | |\n|---|---|---|\n${rows.join('')}\n${END}${after}`
}

const cell = (text = '') => (text === '' ? ' ' : ` ${text} `)
