import { execFileSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './build.mjs'

/** Copies the checkout as a clone of it would be after the next commit: without packages and output. */
export function copyCheckout(target) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  for (const file of files) if (existsSync(join(root, file))) cpSync(join(root, file), join(target, file))
}
