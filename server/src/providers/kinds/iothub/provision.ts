/** What a template asks of a device: its identity, its desired properties, and on an edge its modules. [docs/providers#iot-hub] */
import Type, { type Static } from 'typebox'
import { validationError } from '../../../http/errors.ts'
import { FreeObject } from '../../../http/shapes.ts'
import { strictValidator } from '../../../http/validate.ts'
import type { Properties } from '../../twin/merge-patch.ts'
import { refuseUnusable } from '../../twin/refuse-unusable.ts'
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

// In an object of its own, so that an issue's path begins with `options`.
const check = strictValidator(Type.Object({ options: HubOptions }), 'body')

/** Everything is checked before the first of it is done. @throws validation_error */
export function readOptions(hub: Hub, given: Properties): HubOptions {
  const { options } = check({ options: given }) as { options: HubOptions }
  const names = [hub.hostName, hub.hostName.split(/[.:]/)[0]]
  if (options.hub !== undefined && !names.includes(options.hub))
    throw validationError({
      path: 'options.hub',
      message: `must be ${names.join(' or ')}: a provider is one hub, that of its connection string`,
    })
  for (const [, desired] of desiredOf(options)) refuseUnusable(desired)
  return options
}

/** Applied to a device that has all of it already, it changes nothing. */
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
  for (const [moduleId, desired] of desiredOf(options)) {
    const target = { deviceId, moduleId }
    // Modules with a $ are the edge runtime's own, and come with the device.
    if (moduleId !== '' && !moduleId.startsWith('$')) await ensureModule(hub, target)
    await patchDesired(hub, target, desired)
  }
  return identity
}

/** By module; `''` is the device itself. */
function desiredOf({ isEdge, iotDeviceTemplateOptions, edgeDeviceTemplateOptions: edge }: HubOptions) {
  const ofDevice = isEdge ? edge?.deviceDesiredProperties : iotDeviceTemplateOptions?.desiredProperties
  const ofModules = isEdge ? Object.entries(edge?.modulesDesiredProperties ?? {}) : []
  return [...(ofDevice ? [['', ofDevice] as const] : []), ...ofModules]
}
