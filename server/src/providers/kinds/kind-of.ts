import { importKind } from './import/import-kind.ts'
import { iothubKind } from './iothub/iothub-kind.ts'
import type { ProviderKind } from './kind.ts'
import { mqttKind } from './mqtt/mqtt-kind.ts'

export const providerTypes = ['mqtt', 'import', 'iothub'] as const
export type ProviderType = (typeof providerTypes)[number]

const kinds: Record<ProviderType, ProviderKind> = { mqtt: mqttKind, import: importKind, iothub: iothubKind }

export const kindOf = (type: ProviderType): ProviderKind => kinds[type]
