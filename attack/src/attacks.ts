import type { Attack } from './attack.ts'
import { alarms } from './attacks/alarms.ts'
import { bulk } from './attacks/bulk.ts'
import { csv } from './attacks/csv.ts'
import { expressions } from './attacks/expressions.ts'
import { jmespath } from './attacks/jmespath.ts'
import { like } from './attacks/like.ts'
import { login } from './attacks/login.ts'
import { messages } from './attacks/messages.ts'
import { parsers } from './attacks/parsers.ts'
import { raw } from './attacks/raw.ts'
import { transforms } from './attacks/transforms.ts'

export const attacks: Attack[] = [
  expressions,
  transforms,
  alarms,
  jmespath,
  messages,
  parsers,
  like,
  raw,
  csv,
  bulk,
  login,
]
