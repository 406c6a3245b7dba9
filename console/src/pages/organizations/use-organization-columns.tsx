import { useFormat } from '../../format.ts'
import { links } from '../../links.ts'
import { Icon } from '../../parts/Icon.tsx'
import { Id, Name } from '../../parts/Id.tsx'
import { PageAnchor } from '../../parts/PageAnchor.tsx'
import type { Column } from '../../parts/table/types.ts'
import { useWords } from '../../words/words.tsx'
import { privileges } from '../access/privileges.ts'
import styles from './Organizations.module.css'
import type { OrganizationRow } from './tree.ts'

const INDENT = 18
/** Deeper levels are not indented further, and show their number. */
const INDENTED_LEVELS = 8

export function useOrganizationColumns(onToggle: (id: string) => void): Column<OrganizationRow>[] {
  const words = useWords('organizations')
  const format = useFormat()
  return [
    {
      id: 'name',
      title: words.name,
      width: 'minmax(180px, 3fr)',
      render: (row) => <TreeName row={row} onToggle={onToggle} />,
    },
    {
      id: 'privileges',
      title: words.privileges,
      width: '112px',
      render: ({ organization }) =>
        organization.privileges.length === privileges.length
          ? words.all
          : words.of(format.number(organization.privileges.length), format.number(privileges.length)),
    },
    {
      id: 'relations',
      title: words.relations,
      width: '104px',
      align: 'end',
      isOnPhone: true,
      render: ({ organization: { id, relations, moreRelations = [] } }) => {
        const count = relations.UserToOrgRelations.length + relations.GroupToOrgRelations.length
        const isMore = moreRelations.some((kind) => kind !== 'OrgToResourceRelations')
        return (
          <PageAnchor link={links.organization(id, { tab: 'relations' })}>
            {isMore ? words.orMore(format.number(count)) : format.number(count)}
          </PageAnchor>
        )
      },
    },
    {
      id: 'description',
      title: words.description,
      width: 'minmax(120px, 2fr)',
      render: ({ organization: { description } }) => description !== null && <Name>{description}</Name>,
    },
    {
      id: 'id',
      title: words.id,
      width: 'minmax(120px, 1fr)',
      isOptional: true,
      render: ({ organization }) => <Id value={organization.id} name={words.id} />,
    },
  ]
}

function TreeName(props: { row: OrganizationRow; onToggle: (id: string) => void }) {
  const { organization, depth, hasChildren, isOpen } = props.row
  const words = useWords('organizations')
  return (
    <span className={styles.name} style={{ paddingLeft: Math.min(depth, INDENTED_LEVELS) * INDENT }}>
      {hasChildren ? (
        <button
          type="button"
          className={styles.fold}
          aria-expanded={isOpen}
          aria-label={words.below(organization.displayName)}
          onClick={(event) => {
            event.stopPropagation()
            props.onToggle(organization.id)
          }}
        >
          <Icon name={isOpen ? 'down' : 'right'} size={12} />
        </button>
      ) : (
        <span className={styles.fold} />
      )}
      <Icon name="organization" size={14} />
      <Name>{organization.displayName}</Name>
      {depth > INDENTED_LEVELS && <span className={styles.note}>{words.level(depth + 1)}</span>}
    </span>
  )
}
