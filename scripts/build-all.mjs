// Builds all workspaces, or the named ones. The compiler checks each of them again, since the types of changed packages may
// differ.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rebuild, root } from './build.mjs'

const named = process.argv.slice(2)
const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
await rebuild(named.length > 0 ? named : workspaces)
