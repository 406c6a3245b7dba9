/** Evaluates samples against alarms in the memory of this process, without a database. */
import { readLogic } from '@gangway/server/dist/lib/json-logic.js'
import type { StoredSample } from '@gangway/server/dist/timeseries/storage/stored-sample.js'
import { evaluate } from '@gangway/server/dist/alarms/watch/evaluate.js'
import {
  createAssetWatch,
  type AssetWatch,
  createModelWatch,
} from '@gangway/server/dist/alarms/watch/model-watch.js'
import { ignoreInterrupt, serve } from './serve.ts'

const BATCH = 1000
const LIMIT = 80

let assets = new Map<string, AssetWatch>()
let batches: StoredSample[][] = []
let alarmsPerAsset = 0
let round = 0

const handlers = {
  /** Alarms and assets are distributed over models. Values stay below every limit: crossings are rare. */
  async prepare(alarms: number, assetCount: number, models: number) {
    alarmsPerAsset = alarms / models
    const watches = Array.from({ length: models }, (_, model) =>
      createModelWatch(
        Array.from({ length: alarmsPerAsset }, (_each, n) => alarm(`${model}-${n}`, LIMIT + n)),
      ),
    )
    assets = new Map(
      Array.from({ length: assetCount }, (_, n) => [
        `asset-${n}`,
        createAssetWatch(`asset-${n}`, 1, watches[n % models]!),
      ]),
    )
    const samples = [...assets.keys()].map(makeSample)
    batches = Array.from({ length: assetCount / BATCH }, (_, n) => samples.slice(n * BATCH, (n + 1) * BATCH))
  },

  /** @returns evaluations of a condition a second */
  async evaluate(seconds: number) {
    return rate(seconds, async (batch) => {
      const find = (_tenantId: string, assetId: string) => assets.get(assetId)
      const nowMs = Date.now()
      const { crossings, unevaluated } = await evaluate(find, batch, { batch: ++round, nowMs })
      if (crossings.length > 0) throw new Error('no sample was expected to cross a limit')
      if (unevaluated.length > 0) throw new Error('all alarms were expected to be evaluated')
      return batch.length * alarmsPerAsset
    })
  },

  /** Evaluates the same conditions with the engine alone. */
  async interpret(seconds: number) {
    const conditions = Array.from({ length: alarmsPerAsset }, (_, n) =>
      readLogic({ '>': [{ var: 'temperature' }, LIMIT + n] }, 'condition'),
    )
    return rate(seconds, async (batch) => {
      for (const { value } of batch)
        for (const condition of conditions)
          if (condition.run({ temperature: value })) throw new Error('it crossed')
      return batch.length * alarmsPerAsset
    })
  },
}

export type AlarmEvaluationsProgram = typeof handlers

async function rate(seconds: number, run: (batch: StoredSample[]) => Promise<number>): Promise<number> {
  const startedMs = performance.now()
  const untilMs = startedMs + seconds * 1000
  let evaluations = 0
  for (let n = 0; performance.now() < untilMs; n++) evaluations += await run(batches[n % batches.length]!)
  return evaluations / ((performance.now() - startedMs) / 1000)
}

const alarm = (id: string, limit: number) => ({
  id,
  revision: 1,
  entity_ids: [],
  signals: [{ variable: 'temperature', componentId: '', name: 'temperature' }],
  condition: JSON.stringify({ '>': [{ var: 'temperature' }, limit] }),
  clear_condition: null,
  for_seconds: 0,
  no_data_seconds: 0,
  max_lateness_seconds: 0,
})

const makeSample = (ownerId: string, n: number): StoredSample => ({
  tenantId: 'default',
  tenantNumber: 1,
  ownerType: 'asset',
  ownerId,
  componentId: '',
  name: 'temperature',
  type: 'telemetry',
  timeMs: 1_700_000_000_000 + (n % 7),
  value: n % LIMIT,
})

ignoreInterrupt()
serve(handlers)
