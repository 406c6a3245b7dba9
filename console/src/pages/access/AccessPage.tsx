import { useParams } from '@tanstack/react-router'
import { links } from '../../links.ts'
import { CodeExamples } from '../../parts/code/CodeExamples.tsx'
import { example } from '../../parts/code/example.ts'
import { Icon } from '../../parts/Icon.tsx'
import { Id } from '../../parts/Id.tsx'
import { DetailLayout } from '../../parts/layout/DetailLayout.tsx'
import { ListPage } from '../../parts/layout/ListPage.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import { Empty, Failed, Loading } from '../../parts/State.tsx'
import { choice, useUrlState } from '../../url-state.ts'
import { useWords } from '../../words/words.tsx'
import { useObjectName } from './ObjectName.tsx'
import { iconOf, isListed, type ListedType } from './objects.ts'
import { RelationsOn } from './RelationsTab.tsx'
import { WhoTab } from './WhoTab.tsx'
import { useWhyQuestion, WhyTab } from './WhyTab.tsx'

const fields = { tab: choice(['who', 'relations', 'why']) }

/** Who can do what with one object, its relations, and why somebody can or cannot do something. */
export default function AccessPage() {
  const { type, id } = useParams({ strict: false }) as { type: string; id: string }
  const words = useWords('access')
  if (type === 'tenant' || type === 'environment') return <PlaceAccess type={type} id={id} />
  if (!isListed(type))
    return (
      <ListPage title={words.title}>
        <Empty icon="search" title={words.unknownType} />
      </ListPage>
    )
  return <ObjectAccess key={`${type} ${id}`} type={type} id={id} />
}

function ObjectAccess({ type, id }: { type: ListedType; id: string }) {
  const words = useWords('access')
  const [{ tab }, change] = useUrlState(fields)
  const object = useObjectName({ type, id })
  const { body: question } = useWhyQuestion({ type, id })
  if (object.isPending) return <Loading />
  if (object.data === undefined)
    return <Failed isPage error={object.error} onRetry={() => void object.refetch()} />
  const { name, link } = object.data
  return (
    <DetailLayout
      parent={{ title: words.back, link: links.accessList({ type }) }}
      title={words.of(name)}
      label={words.of(name)}
      facts={
        <>
          <Icon name={iconOf(type)} size={14} />
          <span>{words.types[type]}</span>
          <Id value={id} name={words.id} />
          {link !== undefined && <PageAnchor link={link}>{words.open}</PageAnchor>}
          <PageAnchor link={links.audit({ type, id, range: '1y' })}>{words.audit}</PageAnchor>
        </>
      }
      actions={
        <CodeExamples
          requests={
            tab === 'why' && question.subjectId !== ''
              ? [example('post', '/v1/permissions/explain', { body: question })]
              : [
                  example('post', '/v1/permissions/subjects', {
                    body: { resourceType: type, resourceId: id, subjectType: 'user', permission: 'view' },
                  }),
                  example('post', '/v1/relations/query', {
                    body: { resourceType: type, optionalResourceId: id },
                  }),
                ]
          }
        />
      }
      tab={tab}
      onTab={(next) => void change({ tab: next })}
      tabs={[
        { id: 'who', title: words.tabs.who, render: () => <WhoTab type={type} id={id} /> },
        { id: 'relations', title: words.tabs.relations, render: () => <RelationsOn type={type} id={id} /> },
        { id: 'why', title: words.tabs.why, render: () => <WhyTab type={type} id={id} /> },
      ]}
    />
  )
}

/**
 * The relations on a tenant count in all of its organizations, and those on the environment in all tenants. The API
 * answers no other questions about them.
 */
function PlaceAccess({ type, id }: { type: 'tenant' | 'environment'; id: string }) {
  const words = useWords('access')
  return (
    <DetailLayout
      parent={{ title: words.back, link: links.accessList({ type }) }}
      title={words.of(id)}
      label={words.of(id)}
      facts={<span>{words.types[type]}</span>}
      tab="relations"
      onTab={() => {}}
      tabs={[
        { id: 'relations', title: words.tabs.relations, render: () => <RelationsOn type={type} id={id} /> },
      ]}
    />
  )
}
