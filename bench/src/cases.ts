import type { BenchCase } from './bench-case.ts'
import { access } from './cases/access.ts'
import { alarms } from './cases/alarms.ts'
import { bulk } from './cases/bulk.ts'
import { databaseMemory } from './cases/database-memory.ts'
import { files } from './cases/files.ts'
import { firmware } from './cases/firmware.ts'
import { ingest } from './cases/ingest.ts'
import { memory } from './cases/memory.ts'
import { push } from './cases/push.ts'
import { settings } from './cases/settings.ts'
import { stalled } from './cases/stalled.ts'
import { storm } from './cases/storm.ts'

export const cases: BenchCase[] = [
  ingest,
  settings,
  bulk,
  storm,
  stalled,
  memory,
  access,
  alarms,
  push,
  firmware,
  files,
  databaseMemory,
]
