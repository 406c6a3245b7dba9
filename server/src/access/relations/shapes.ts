/** Shapes of tuples in requests and answers. [docs/access#relations] */
import Type from 'typebox'
import { Uuid } from '../../http/shapes.ts'
import { privileges } from '../privileges.ts'
import { objectTypes, permissions, relations, resourceTypes, subjectTypes } from '../schema.ts'

export const Id = Type.String({ minLength: 1, maxLength: 128 })
export const SubjectTypeName = Type.Enum([...subjectTypes])
export const ResourceTypeName = Type.Enum([...resourceTypes])
/** Queries do not include the environment and the tenant. */
export const ObjectTypeName = Type.Enum([...objectTypes])
export const RelationName = Type.Enum([...relations])
export const PermissionName = Type.Enum([...permissions])
export const PrivilegeName = Type.Enum([...privileges])
/** "The privilege queries allow only user, group, organization, tenant." */
const HolderTypeName = Type.Enum(['user', 'group', 'organization', 'tenant'])

const subject = { subjectType: SubjectTypeName, subjectId: Id }

export const Tuple = Type.Object(
  { ...subject, resourceType: ResourceTypeName, resourceId: Id, relation: RelationName },
  { title: 'Relation' },
)

export const permissionTuple = {
  ...subject,
  resourceType: ObjectTypeName,
  resourceId: Id,
  permission: PermissionName,
}
export const PermissionTuple = Type.Object(permissionTuple, { title: 'Permission' })
export const PermissionCheck = Type.Object(
  { ...permissionTuple, result: Type.Boolean() },
  { title: 'PermissionCheck' },
)

const privilegeTuple = {
  subjectType: HolderTypeName,
  subjectId: Id,
  privilege: PrivilegeName,
  organizationId: Type.Optional(Uuid),
}
export const PrivilegeTuple = Type.Object(privilegeTuple, { title: 'Privilege' })
export const PrivilegeCheck = Type.Object(
  { ...privilegeTuple, result: Type.Boolean() },
  { title: 'PrivilegeCheck' },
)
