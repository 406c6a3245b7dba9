import type { Bench } from '../bench-case.ts'
import { type Child, startProgram } from '../child.ts'
import { readTreeSeconds } from '../measure/process-tree.ts'
import { createHistoryWriter } from '../platform/history-writer.ts'
import type { Platform } from '../platform/start.ts'
import type { PackProgram } from '../programs/pack.ts'
import { type Store, sumValues } from './store.ts'

export interface GangwayStore extends Store {
  pack(): Promise<void>
  stop(): Promise<void>
  /** Processor time of packing so far, of the packing process and of PostgreSQL together. */
  packing(): { values: number; cpuSeconds: number }
}

/** An API token does not expire within the run, as an access token would. */
export async function createToken(platform: Platform): Promise<string> {
  const { token } = await platform.api().post<{ token: string }>('/v1/api-tokens', { displayName: 'bench' })
  return token
}

/** @param token of an administrator; the server may be stopped while samples are added and packed */
export async function openGangway(bench: Bench, platform: Platform, token: string): Promise<GangwayStore> {
  const write = await createHistoryWriter(platform)
  const packer = await bench.use(startProgram<PackProgram>('pack'))
  const packed = { values: 0, cpuSeconds: 0 }
  const pack = async () => {
    const before = { values: await countPacked(platform), seconds: await readSeconds(platform, packer) }
    if (!(await packer.call('pack', platform.databaseUrl))) throw new Error('not everything was packed')
    packed.values += (await countPacked(platform)) - before.values
    packed.cpuSeconds += (await readSeconds(platform, packer)) - before.seconds
  }
  return {
    name: 'Gangway',
    // A day is packed before the next one is added, as it happens in operation.
    async add(samples) {
      await write(samples)
      await pack()
    },
    async settle() {},
    pack,
    stop: packer.stop,
    packing: () => packed,
    measureBytes: () => measurePacked(platform),
    makeRequest({ device, signal, fromMs, toMs, bucketMs }) {
      return {
        method: 'POST',
        url: `${platform.api().url}/v1/timeseries/get`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          assetId: device,
          timeseriesName: [signal],
          searchSpanFrom: new Date(fromMs).toISOString(),
          searchSpanTo: new Date(toMs).toISOString(),
          ...(bucketMs !== undefined && {
            aggregationType: 'avg',
            aggregationInterval: `PT${bucketMs / 60_000}M`,
          }),
        }),
      }
    },
    readAnswer(text) {
      const { items } = JSON.parse(text) as { items: { items: { value: unknown }[] }[] }
      return sumValues(items.flatMap((item) => item.items.map(({ value }) => value)))
    },
  }
}

const readSeconds = async ({ databasePid }: Platform, packer: Child<PackProgram>) =>
  (await readTreeSeconds(databasePid)) + (await readTreeSeconds(packer.process.pid!))

export async function countPacked({ pool }: Platform): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'select coalesce(sum(value_count), 0)::float8 as count from packed_rows',
  )
  return rows[0]!.count
}

/** Tables with their indexes and all that is stored beside them. */
async function measurePacked({ pool }: Platform): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
     where relkind = 'r' and (relname like 'packed%' or relname like '%rollup%')`,
  )
  return rows[0]!.bytes
}
