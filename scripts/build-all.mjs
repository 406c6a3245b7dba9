// Builds every workspace, or those that are named. The compiler looks at each one again, since packages that changed may
// bring other types.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rebuild, root } from './build.mjs'

const named = process.argv.slice(2)
const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
await rebuild(named.length > 0 ? named : workspaces)
