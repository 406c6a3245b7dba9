import { Button, Select } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useApi } from '../../api/ApiProvider.tsx'
import { FormDialog } from '../../parts/form/FormDialog.tsx'
import { type Form, useForm } from '../../parts/form/use-form.ts'
import { Refusal } from '../../parts/Refusal.tsx'
import { useUser } from '../../session/SessionProvider.tsx'
import { useWords } from '../../words/words.tsx'
import { withTimeout } from '../devices/timeout.ts'
import styles from './Access.module.css'
import { invalidateAccess } from './invalidate.ts'
import {
  isListed,
  listedTypes,
  listRelationNames,
  listSubjectTypes,
  type ObjectType,
  type Relation,
  type SubjectType,
  type Tuple,
} from './objects.ts'
import { ObjectName } from './ObjectName.tsx'
import { PickObject } from './PickObject.tsx'
import { holderRelation, privileges } from './privileges.ts'

interface Props {
  /** The ends and the relation that are known already; a fixed end cannot be chosen again. */
  given: Partial<Tuple>
  onClose: () => void
}

/** Form that writes a relation: who, as what, on what. */
export default function GiveDialog({ given, onClose }: Props) {
  const words = useWords('access')
  const common = useWords('common')
  const api = useApi()
  const cache = useQueryClient()
  const resourceType: ObjectType = given.resourceType ?? 'organization'
  const form = useForm<Tuple>({
    initial: {
      subjectType: 'user',
      subjectId: '',
      resourceId: '',
      relation: resourceType === 'group' ? 'member' : 'viewer',
      ...given,
      resourceType,
    },
    validate: ({ subjectId, resourceId }) => ({
      ...(subjectId === '' && { subjectId: common.required }),
      ...(resourceId === '' && { resourceId: common.required }),
    }),
    submit: async (tuple) => {
      await api.post('/v1/relations', { body: tuple, signal: withTimeout() })
      invalidateAccess(cache)
      onClose()
    },
  })
  const { values, change } = form
  return (
    <FormDialog form={form} onClose={onClose} title={words.give.title}>
      <form onSubmit={form.onSubmit} noValidate className={styles.fields} aria-label={words.give.title}>
        <Subject form={form} isFixed={given.subjectId !== undefined} />
        <Resource form={form} isFixed={given.resourceId !== undefined} />
        <Select
          label={words.give.what}
          description={describe(words, values)}
          data={listRelationNames(values.resourceType, privileges.map(holderRelation))
            .filter((relation) =>
              listSubjectTypes(values.resourceType, relation).includes(values.subjectType),
            )
            .map((relation) => ({ value: relation, label: words.relations[relation] ?? relation }))}
          value={values.relation}
          onChange={(relation) => relation !== null && change({ relation: relation as Relation })}
          error={form.problem('relation')}
        />
        <p className={styles.note}>{words.give.text}</p>
        {form.failure !== null && <Refusal error={form.failure} />}
        {/* A relation that is given whole needs no change before it is sent. */}
        <div className={styles.dialogActions}>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" variant="filled" loading={form.isSubmitting}>
            {words.give.action}
          </Button>
        </div>
      </form>
    </FormDialog>
  )
}

interface EndProps {
  form: Form<Tuple>
  isFixed: boolean
}

function Subject({ form, isFixed }: EndProps) {
  const words = useWords('access')
  const user = useUser()
  const { values, change } = form
  const types = listSubjectTypes(values.resourceType, values.relation)
  if (isFixed)
    return (
      <div className={styles.fixed}>
        <span>{words.give.who}</span>
        <ObjectName type={values.subjectType} id={values.subjectId} withType />
      </div>
    )
  return (
    <>
      <Select
        label={words.subjectType}
        description={values.subjectType === 'tenant' ? words.give.tenantSubject : undefined}
        data={types.map((type) => ({ value: type, label: words.types[type]! }))}
        value={values.subjectType}
        onChange={(type) =>
          type !== null &&
          change({ subjectType: type as SubjectType, subjectId: type === 'tenant' ? user.tenantId : '' })
        }
        error={form.problem('subjectType')}
      />
      {isListed(values.subjectType) && (
        <PickObject
          key={values.subjectType}
          type={values.subjectType}
          label={words.give.who}
          value={values.subjectId}
          onChange={(subjectId) => change({ subjectId })}
          error={form.problem('subjectId')}
        />
      )}
    </>
  )
}

function Resource({ form, isFixed }: EndProps) {
  const words = useWords('access')
  const { values, change } = form
  if (isFixed)
    return (
      <div className={styles.fixed}>
        <span>{words.give.on}</span>
        <ObjectName type={values.resourceType} id={values.resourceId} withType />
      </div>
    )
  const offered = listedTypes.filter((type) => type !== 'user')
  return (
    <>
      <Select
        label={words.type}
        searchable
        data={offered.map((type) => ({ value: type, label: words.types[type]! }))}
        value={values.resourceType}
        onChange={(type) =>
          type !== null &&
          change({
            resourceType: type as ObjectType,
            resourceId: '',
            relation: type === 'group' && values.subjectType === 'user' ? 'member' : 'viewer',
          })
        }
      />
      {isListed(values.resourceType) && (
        <PickObject
          key={values.resourceType}
          type={values.resourceType}
          label={words.give.on}
          value={values.resourceId}
          onChange={(resourceId) => change({ resourceId })}
          error={form.problem('resourceId')}
        />
      )}
    </>
  )
}

/** What the relation gives, in a sentence. */
function describe(
  words: ReturnType<typeof useWords<'access'>>,
  { resourceType, relation }: Tuple,
): string | undefined {
  const { gives } = words
  if (resourceType === 'group') return gives.group[relation]
  if (resourceType === 'node') return `${gives.object[relation]}${gives.node}`
  if (resourceType !== 'organization' && resourceType !== 'tenant') return gives.object[relation]
  const privilege = privileges.find((one) => holderRelation(one) === relation)
  return gives.place[relation] ?? (privilege && gives.privilege(words.privileges[privilege] ?? privilege))
}
