/** Says what a deployment would do, in numbers, before it is created. Nothing is stored. [docs/firmware#preview] */
import Type, { type Static } from 'typebox'
import { requirePrivilegeIn } from '../../access/require.ts'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/access.ts'
import { Nullable, Uuid } from '../../http/shapes.ts'
import { makePlan, readRollout } from './make-plan.ts'
import { requireClients } from './require-clients.ts'
import { CreateDeployment } from './schema.ts'
import { DeviceSelection, type SelectedClient, selectClients } from './selection.ts'

const { organizationId, deploymentTemplateId, releaseId, rollout } = CreateDeployment.properties

export const PreviewDeployment = Type.Object({
  organizationId,
  deploymentTemplateId,
  releaseId,
  rollout,
  selection: DeviceSelection,
})
export type PreviewDeployment = Static<typeof PreviewDeployment>

const MAX_LISTED = 1000

const Ids = (options: { description: string; maxItems?: number }) => Type.Array(Type.String(), options)
const Group = (description: string) =>
  Type.Object(
    {
      clients: Type.Integer({ description: 'Their number' }),
      deviceIds: Ids({ description: `The first ${MAX_LISTED} of them`, maxItems: MAX_LISTED }),
    },
    { description },
  )
export const DeploymentPreview = Type.Object(
  {
    deviceIds: Ids({ description: 'The provider clients that are chosen, as the deployment takes them' }),
    unsuited: Group('Those that no asset of a starting model has bound: they are rejected'),
    offline: Group('Those that are not connected: they are updated when they connect'),
    waiting: Group('Those with an update that has not ended: this one comes after it'),
    upToDate: Group('Those that have this release already: it is installed again'),
    releases: Type.Array(
      Type.Object({
        releaseId: Nullable(Uuid),
        releaseName: Nullable(Type.String()),
        clients: Type.Integer(),
      }),
      { description: 'What is installed on them, most clients first; null where nothing is known' },
    ),
    waves: Type.Array(Type.Object({ wave: Type.Integer(), percent: Type.Number(), clients: Type.Integer() })),
  },
  { title: 'DeploymentPreview' },
)

/** Checks what creating the deployment would check. @throws validation_error, conflict, forbidden, not_found */
export async function previewDeployment(
  ctx: Context,
  caller: Caller,
  body: PreviewDeployment,
): Promise<Static<typeof DeploymentPreview>> {
  await requirePrivilegeIn(ctx, caller, 'firmware_management', body.organizationId)
  const { waves } = await readRollout(ctx, caller, body)
  const { startingModelIds } = await makePlan(ctx.db, caller, body)
  const { selection } = body
  using open = ctx.queries.open(caller.tenantId)
  if (selection.deviceIds) await requireClients(open.db, caller, selection.deviceIds)
  const clients = await selectClients(ctx, caller, { db: open.db, selection, startingModelIds })
  const groupWhere = (is: (client: SelectedClient) => boolean) => groupShape(clients.filter(is))
  return {
    deviceIds: listIds(clients),
    unsuited: groupWhere(({ suited }) => !suited),
    offline: groupWhere(({ connected }) => !connected),
    waiting: groupWhere(({ waiting }) => waiting),
    upToDate: groupWhere((client) => client.releaseId === body.releaseId.toLowerCase()),
    releases: countReleases(clients),
    waves: countWaves(waves, clients.filter(({ suited }) => suited).length),
  }
}

const listIds = (clients: SelectedClient[]) => clients.map(({ id }) => id)

const groupShape = (clients: SelectedClient[]) => ({
  clients: clients.length,
  deviceIds: listIds(clients.slice(0, MAX_LISTED)),
})

function countReleases(clients: SelectedClient[]) {
  const counts = new Map<string | null, { releaseName: string | null; clients: number }>()
  for (const { releaseId: id, releaseName } of clients) {
    const counted = counts.get(id)
    if (counted) counted.clients++
    else counts.set(id, { releaseName, clients: 1 })
  }
  return [...counts]
    .map(([id, counted]) => ({ releaseId: id, ...counted }))
    .toSorted((a, b) => b.clients - a.clients)
}

/** The sizes of the waves as `planUpdates` makes them. */
const countWaves = (percents: number[], total: number) =>
  percents.map((percent, index) => {
    const countUpTo = (share: number) => Math.ceil((total * share) / 100)
    const before = index === 0 ? 0 : countUpTo(percents[index - 1]!)
    return { wave: index + 1, percent, clients: countUpTo(percent) - before }
  })
