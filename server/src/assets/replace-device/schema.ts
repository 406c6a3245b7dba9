import Type, { type Static } from 'typebox'
import { DeviceId, Nullable } from '../../http/shapes.ts'

export const ReplaceDevice = Type.Object(
  {
    from: Type.String({ minLength: 1, maxLength: 128, description: 'The provider client that is replaced' }),
    to: { ...DeviceId, description: 'The provider client that replaces it' },
    dryRun: Type.Optional(
      Type.Boolean({ default: false, description: 'Answers what would happen, and changes nothing' }),
    ),
  },
  { title: 'ReplaceDevice' },
)
export type ReplaceDevice = Static<typeof ReplaceDevice>

export const DeviceReplacement = Type.Object(
  {
    assetId: Type.String(),
    from: Type.String(),
    to: Type.String(),
    dryRun: Type.Boolean(),
    moved: Type.Array(
      Type.Object({ localEndpointId: Type.String(), remoteEndpointIds: Type.Array(Type.String()) }),
      { description: 'Bindings, of all assets, that now read the new client instead of the old one' },
    ),
    movedCommands: Type.Integer({ description: 'Queued commands that now wait for the new client' }),
    problems: Type.Array(
      Type.Object({
        localEndpointId: {
          ...Nullable(Type.String()),
          description: 'Null: the client as a whole',
        },
        message: Type.String(),
      }),
      { description: 'Problems. A command that the new client cannot receive stays with the old one' },
    ),
  },
  { title: 'DeviceReplacement' },
)
export type Problem = Static<typeof DeviceReplacement>['problems'][number]
