// Copied beside the bundle as `main.js`: runs the server from the code that the build compiled. Compiling the bundle takes a
// third of the processor time of a start.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire, Module } from 'node:module'
import { join } from 'node:path'
import { constants, Script } from 'node:vm'

const file = join(import.meta.dirname, 'server.cjs')
// V8 compares its own version, which releases of Node share although their compiled code differs.
const compiledFile = join(import.meta.dirname, `server.${process.version}-${process.arch}.compiled`)

// V8 compiles again without the file, or if the code was compiled with other options of Node.
const script = new Script(Module.wrap(readFileSync(file, 'utf8')), {
  filename: file,
  cachedData: existsSync(compiledFile) ? readFileSync(compiledFile) : undefined,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})
const require = createRequire(file)
const module = new Module(file)
module.filename = file
// The other chunks of the bundle require this one.
require.cache[file] = module
script.runInThisContext().call(module.exports, module.exports, require, module, file, import.meta.dirname)

if (process.argv[2] === '--compile') {
  // After its modules have run, so that their functions are compiled too.
  writeFileSync(compiledFile, script.createCachedData())
  process.exit()
}
await module.exports.run()
