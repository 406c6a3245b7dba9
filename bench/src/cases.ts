import type { BenchCase } from './bench-case.ts'
import { access } from './cases/access.ts'
import { alarms } from './cases/alarms.ts'
import { board } from './cases/board.ts'
import { bulk } from './cases/bulk.ts'
import { consoleCharts } from './cases/console.ts'
import { consoleList } from './cases/console-list.ts'
import { consoleMemory } from './cases/console-memory.ts'
import { databaseMemory } from './cases/database-memory.ts'
import { enrol } from './cases/enrol.ts'
import { files } from './cases/files.ts'
import { firmware } from './cases/firmware.ts'
import { growth } from './cases/growth.ts'
import { history } from './cases/history.ts'
import { historyMemory } from './cases/history-memory.ts'
import { ingest } from './cases/ingest.ts'
import { latency } from './cases/latency.ts'
import { memory } from './cases/memory.ts'
import { mtlsStorm } from './cases/mtls-storm.ts'
import { nodes } from './cases/nodes.ts'
import { push } from './cases/push.ts'
import { retention } from './cases/retention.ts'
import { scaling } from './cases/scaling.ts'
import { settings } from './cases/settings.ts'
import { stalled } from './cases/stalled.ts'
import { storm } from './cases/storm.ts'

export const cases: BenchCase[] = [
  ingest,
  settings,
  enrol,
  bulk,
  storm,
  mtlsStorm,
  stalled,
  latency,
  memory,
  access,
  alarms,
  push,
  firmware,
  files,
  databaseMemory,
  consoleCharts,
  consoleList,
  consoleMemory,
  board,
  history,
  historyMemory,
  growth,
  retention,
  nodes,
  scaling,
]
