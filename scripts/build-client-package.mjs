// Builds the package of the client from scratch, with the licence. `npm pack` runs it.
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rebuild, root } from './build.mjs'

const folder = join(root, 'client')

// Output of deleted source files must not be packed.
rmSync(join(folder, 'dist'), { recursive: true, force: true })
await rebuild(['client'])
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
