import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { build, root } from './build.mjs'

build('server')
const command = join(root, 'server/dist/commands/rotate-secret-key.js')
process.exitCode = spawnSync(process.execPath, [command], { stdio: 'inherit' }).status ?? 1
