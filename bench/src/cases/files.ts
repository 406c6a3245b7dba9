/** Measures file transfers, which are streams: nearly as fast as a plain copy, and without buffering files in memory. */
import type { BenchCase } from '../bench-case.ts'
import { startProgram } from '../child.ts'
import { compare, type Finding } from '../measure/finding.ts'
import { interleave } from '../measure/interleave.ts'
import { type Platform, startPlatform } from '../platform/start.ts'
import { CHUNK_BYTES, receive, send } from '../platform/transfer.ts'
import type { BareFilesProgram } from '../programs/bare-files.ts'

/** The largest file by default. [docs/files#limits] */
const MEBIBYTES = 256
const ROUNDS = 5
const GOAL = { ratioAtLeast: 0.7 }
const GOAL_MEMORY_MIB = 64

export const files: BenchCase = {
  name: 'files',
  about: `upload and download of ${MEBIBYTES} MiB, against a server that only copies the stream`,
  maxSeconds: 300,
  async run(bench) {
    const platform = await bench.use(startPlatform(bench))
    const bare = await bench.use(startProgram<BareFilesProgram>('bare-files'))
    await bench.use(Promise.resolve({ [Symbol.asyncDispose]: () => bare.call('deleteFiles') }))
    const bareUrl = await bare.call('listen')
    const { url, token } = platform.api()
    const at = (path: string) => ({ url: url + path, token })
    const upload = () => send<{ id: string }>(at('/v1/resources/upload'), MEBIBYTES)
    const bytes = MEBIBYTES * CHUNK_BYTES
    let id = ''
    // Measured first, since earlier work would raise the peak that is compared.
    const memory = await memoryDuring(platform, async () => {
      ;[{ id }] = await Promise.all([upload(), upload()])
      await receive(at(`/v1/resources/download/${id}`), bytes)
    })
    await send({ url: bareUrl }, MEBIBYTES)
    // The bare server stores the form around the file too.
    const bareBytes = await countBytes(bareUrl)
    const measured = await interleave(bench, ROUNDS, {
      // Each server sends the file that it received last.
      upload: () => mebibytesPerSecond(async () => ({ id } = await upload())),
      bareUpload: () => mebibytesPerSecond(() => send({ url: bareUrl }, MEBIBYTES)),
      download: () => mebibytesPerSecond(() => receive(at(`/v1/resources/download/${id}`), bytes)),
      bareDownload: () => mebibytesPerSecond(() => receive({ url: bareUrl }, bareBytes)),
    })
    const baseline = (rounds: number[]) => ({ name: 'a plain copy', rounds })
    const common = { unit: 'MiB/s', better: 'more', goal: GOAL } as const
    return [
      compare({
        measure: 'upload',
        ...common,
        rounds: measured.upload,
        baseline: baseline(measured.bareUpload),
      }),
      compare({
        measure: 'download',
        ...common,
        rounds: measured.download,
        baseline: baseline(measured.bareDownload),
      }),
      memory,
    ]
  },
}

async function mebibytesPerSecond(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return MEBIBYTES / ((performance.now() - startedMs) / 1000)
}

async function countBytes(url: string): Promise<number> {
  let bytes = 0
  for await (const chunk of (await fetch(url)).body!) bytes += chunk.length
  return bytes
}

/** Growth of the peak of resident memory, which would show a file in memory. */
async function memoryDuring(platform: Platform, work: () => Promise<void>): Promise<Finding> {
  const peak = async () => (await platform.server().call('peakMemory')) / 1024 ** 2
  const before = await peak()
  await work()
  return {
    measure: 'additional memory while two files are uploaded',
    unit: 'MiB',
    value: (await peak()) - before,
    goal: { valueAtMost: GOAL_MEMORY_MIB },
  }
}
