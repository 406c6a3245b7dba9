import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazyPart } from '../../load-part.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import { links } from '../../links.ts'
import { DeleteButton } from '../../parts/DeleteButton.tsx'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { Id } from '../../parts/Id.tsx'
import { DetailLayout } from '../../parts/layout/DetailLayout.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { PartBoundary } from '../../parts/PartBoundary.tsx'
import { Failed, Loading } from '../../parts/State.tsx'
import { useExplainedPermission } from '../../parts/why/Permission.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { ObjectName } from '../access/ObjectName.tsx'
import { RelationsOf, RelationsOn } from '../access/RelationsTab.tsx'
import { LostRelationsOf, LostRelationsOn } from '../access/LostRelations.tsx'
import { withTimeout } from '../devices/timeout.ts'
import { CreateButton } from '../access/CreateButton.tsx'
import { DisabledReason } from '../models/DisabledReason.tsx'
import { SettingsTab } from './SettingsTab.tsx'
import type { Organization } from './tree.ts'

const CreateOrganization = lazyPart(() => import('./CreateOrganization.tsx'))

const route = '/v1/organizations/{organizationId}'
const fields = { tab: choice(['settings', 'relations', 'objects']) }

/** One organization: its settings, who has what on it, and what it may see of others. */
export default function OrganizationPage() {
  const { organizationId } = useParams({ strict: false }) as { organizationId: string }
  const api = useApi()
  const found = useQuery({
    queryKey: ['organization', organizationId],
    queryFn: ({ signal }) => api.get(route, { path: { organizationId }, signal: withTimeout(signal) }),
  })
  if (found.isPending) return <Loading />
  if (found.data === undefined)
    return <Failed isPage error={found.error} onRetry={() => void found.refetch()} />
  return <Detail key={organizationId} organization={found.data} />
}

function Detail({ organization }: { organization: Organization }) {
  const words = useWords('organizations')
  const access = useWords('access')
  const [{ tab }, change] = useUrlState(fields)
  const { id, displayName, parentOrganizationId: parent } = organization
  return (
    <DetailLayout
      parent={{ title: words.title, link: links.organizations() }}
      title={displayName}
      label={displayName}
      facts={
        <>
          {parent === null ? (
            <span>{words.root}</span>
          ) : (
            <span>
              {words.under} <ObjectName type="organization" id={parent} />
            </span>
          )}
          <Id value={id} name={words.id} />
          <PageAnchor link={links.access('organization', id)}>{access.of(displayName)}</PageAnchor>
          <PageAnchor link={links.audit({ type: 'organization', id, range: '1y' })}>
            {access.audit}
          </PageAnchor>
        </>
      }
      actions={<Actions organization={organization} />}
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        {
          id: 'settings',
          title: words.tabs.settings,
          render: () => <SettingsTab organization={organization} />,
        },
        {
          id: 'relations',
          title: words.tabs.relations,
          render: () => <RelationsOn type="organization" id={id} />,
        },
        {
          id: 'objects',
          title: words.tabs.objects,
          render: () => <RelationsOf type="organization" id={id} />,
        },
      ]}
    />
  )
}

function Actions({ organization }: { organization: Organization }) {
  const { create: words } = useWords('organizations')
  const [isCreating, creating] = useDisclosure()
  return (
    <>
      <CodeExamples requests={[example('get', route, { path: { organizationId: organization.id } })]} />
      <CreateButton
        isPlain
        privilege="organization_management"
        organizationId={organization.id}
        onClick={creating.open}
      >
        {words.below}
      </CreateButton>
      <DeleteOrganization organization={organization} />
      {isCreating && (
        <PartBoundary>
          <CreateOrganization parent={organization.id} onClose={creating.close} />
        </PartBoundary>
      )}
    </>
  )
}

function DeleteOrganization({ organization }: { organization: Organization }) {
  const { remove: words } = useWords('organizations')
  const api = useApi()
  const asked = { resourceType: 'organization', resourceId: organization.id, permission: 'delete' } as const
  const mayDelete = useExplainedPermission(asked).data?.result
  return (
    <>
      <DisabledReason reason={words.mayNot} asked={asked} />
      <DeleteButton
        action={words.action}
        title={words.title}
        name={organization.displayName}
        isDisabled={mayDelete !== true}
        onDelete={() =>
          api.delete(route, { path: { organizationId: organization.id }, signal: withTimeout() })
        }
        next={links.organizations()}
        cached={{ one: ['organization', organization.id], lists: ['organizations'] }}
      >
        <p>{words.text}</p>
        <LostRelationsOn type="organization" id={organization.id} />
        <LostRelationsOf type="organization" id={organization.id} />
      </DeleteButton>
    </>
  )
}
