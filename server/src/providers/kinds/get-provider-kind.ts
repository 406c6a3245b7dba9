import type { ProviderType } from '../provider-type.ts'
import { importKind } from './import/import-kind.ts'
import { iothubKind } from './iothub/iothub-kind.ts'
import type { ProviderKind } from './provider-kind.ts'
import { mqttKind } from './mqtt/mqtt-kind.ts'

const kinds: Record<ProviderType, ProviderKind> = { mqtt: mqttKind, import: importKind, iothub: iothubKind }

export const getProviderKind = (type: ProviderType): ProviderKind => kinds[type]
