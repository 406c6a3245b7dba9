/** Applies the options of a template to a device: identity, desired properties, and modules of an edge device. [docs/providers#iot-hub] */
import Type, { type Static } from 'typebox'
import { validationError } from '../../../http/errors.ts'
import { FreeObject } from '../../../http/shapes.ts'
import { strictValidator } from '../../../http/validate.ts'
import type { Properties } from '../../twin/merge-patch.ts'
import { checkProperties } from '../../twin/check-properties.ts'
import type { Hub } from './hub.ts'
import { ensureDevice, ensureModule, type Identity } from './identities.ts'
import { patchDesired } from './twins.ts'

const HubOptions = Type.Object({
  hub: Type.Optional(Type.String()),
  isEdge: Type.Optional(Type.Boolean()),
  iotDeviceTemplateOptions: Type.Optional(Type.Object({ desiredProperties: Type.Optional(FreeObject) })),
  edgeDeviceTemplateOptions: Type.Optional(
    Type.Object({
      manifest: Type.Optional(Type.Object({ modulesContent: FreeObject })),
      deviceDesiredProperties: Type.Optional(FreeObject),
      modulesDesiredProperties: Type.Optional(
        Type.Unsafe<Record<string, Properties>>(Type.Object({}, { additionalProperties: FreeObject })),
      ),
    }),
  ),
})
type HubOptions = Static<typeof HubOptions>

// Wrapped in an object, so that the path of an issue begins with `options`.
const check = strictValidator(Type.Object({ options: HubOptions }), 'body')

/** Checks all options before any of them is applied. @throws validation_error */
export function readOptions(hub: Hub, given: Properties): HubOptions {
  const { options } = check({ options: given }) as { options: HubOptions }
  const names = [hub.hostName, hub.hostName.split(/[.:]/)[0]]
  if (options.hub !== undefined && !names.includes(options.hub))
    throw validationError({
      path: 'options.hub',
      message: `must be ${names.join(' or ')}: a provider is one hub, that of its connection string`,
    })
  for (const [, desired] of readDesired(options)) checkProperties(desired)
  return options
}

/** Applying the same options again changes nothing. */
export async function provisionDevice(
  hub: Hub,
  deviceId: string,
  enabled: boolean,
  options: HubOptions,
): Promise<Identity> {
  const { isEdge = false, edgeDeviceTemplateOptions: edge } = options
  const identity = await ensureDevice(hub, deviceId, { enabled, isEdge })
  if (isEdge && edge?.manifest)
    await hub.send({
      method: 'POST',
      kind: 'devices',
      target: { deviceId, moduleId: '' },
      action: '/applyConfigurationContent',
      body: edge.manifest,
    })
  for (const [moduleId, desired] of readDesired(options)) {
    const target = { deviceId, moduleId }
    // Modules with a $ belong to the edge runtime and exist with the device.
    if (moduleId !== '' && !moduleId.startsWith('$')) await ensureModule(hub, target)
    await patchDesired(hub, target, desired)
  }
  return identity
}

/** Returns the desired properties by module; `''` is the device itself. */
function readDesired({ isEdge, iotDeviceTemplateOptions, edgeDeviceTemplateOptions: edge }: HubOptions) {
  const ofDevice = isEdge ? edge?.deviceDesiredProperties : iotDeviceTemplateOptions?.desiredProperties
  const ofModules = isEdge ? Object.entries(edge?.modulesDesiredProperties ?? {}) : []
  return [...(ofDevice ? [['', ofDevice] as const] : []), ...ofModules]
}
