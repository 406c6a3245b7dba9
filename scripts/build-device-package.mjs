// Builds the package of the device SDK from scratch: as ES modules and as CommonJS, with the licence.
// `npm pack` runs it.
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rebuild, root, runCompiler } from './build.mjs'

const folder = join(root, 'device')
const output = join(folder, 'dist')

// Output of deleted source files must not be packed.
rmSync(output, { recursive: true, force: true })
await rebuild(['device'])
if (!(await runCompiler('-p', join(folder, 'tsconfig.cjs.json')))) process.exit(1)
// The package itself is of type `module`.
writeFileSync(join(output, 'cjs/package.json'), '{ "type": "commonjs" }\n')
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
