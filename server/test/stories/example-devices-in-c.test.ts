/**
 * Compiles the example devices in C and C++ against declarations of their libraries. They run on hardware only, so
 * nothing else can be tested here.
 */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { codeBlocks } from '../harness/code-blocks.ts'
import { compileArduino, standIns, strictChecks } from '../harness/compile-arduino.ts'
import { missingPrograms, root } from '../harness/example-programs.ts'

const run = promisify(execFile)
const missing = missingPrograms(['gcc', 'g++'])
if (missing.length > 0)
  console.log(`Skipped: the example devices in C and C++ (${missing.join(', ')} is not installed)`)

test.skipIf(missing.length > 0)('the example device for ESP-IDF compiles without a warning', async () => {
  const folder = join(root, 'docs/examples/esp-idf/main')
  const sources = (await readdir(folder)).filter((name) => name.endsWith('.c'))
  expect(sources).toContain('device.c')
  const files = sources.map((name) => join(folder, name))
  const { stderr } = await run('gcc', ['-std=gnu17', ...strictChecks, ...standIns('esp-idf'), ...files])
  expect(stderr).toBe('')
})

test.skipIf(missing.length > 0)('the Arduino sketch compiles without a warning', async () => {
  const sketch = codeBlocks(await readFile(join(root, 'docs/mqtt.md'), 'utf8'), 'cpp')
  expect(await compileArduino(sketch)).toBe('')
  expect(sketch).toContain('void loop()')
})
