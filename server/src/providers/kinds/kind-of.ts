import { ApiError } from '../../http/errors.ts'
import type { ProviderKind } from './kind.ts'
import { mqttKind } from './mqtt/mqtt-kind.ts'

export const providerTypes = ['mqtt', 'import', 'iothub'] as const
export type ProviderType = (typeof providerTypes)[number]

const kinds: Partial<Record<ProviderType, ProviderKind>> = { mqtt: mqttKind }

/** @throws conflict for a type that this version keeps on record but cannot operate */
export function kindOf(type: ProviderType): ProviderKind {
  const kind = kinds[type]
  if (kind) return kind
  throw new ApiError(
    'conflict',
    `This version cannot operate clients of providers of type ${type}. Use type mqtt.`,
    {
      type,
    },
  )
}
