import Type from 'typebox'
import type { Context } from '../../context.ts'
import { privilegeInRoot } from '../../http/access.ts'
import { validationError } from '../../http/errors.ts'
import { isUuid, onboardingPage, OnboardingSearchQuery, pageRequest } from '../../http/page.ts'
import { route, type Route } from '../../http/route.ts'
import { Uuid } from '../../http/shapes.ts'
import { IfReady } from '../bootstrap-keys/schema.ts'
import { type Template, findTemplateIssues } from '../response-template.ts'
import {
  CreateEnrollmentGroup,
  EnrollmentGroup,
  EnrollmentGroupPage,
  EnrollmentGroupSummary,
  UpdateEnrollmentGroup,
} from './schema.ts'
import {
  deleteEnrollmentGroup,
  enrollmentGroupShape,
  getEnrollmentGroup,
  insertEnrollmentGroup,
  listEnrollmentGroups,
  updateEnrollmentGroup,
} from './store.ts'

const access = privilegeInRoot('provider_client_management')
const params = Type.Object({ id: Uuid })

export const enrollmentGroupRoutes = (ctx: Context): Route[] => [
  route({
    method: 'POST',
    url: '/api/enrollment-groups',
    summary: 'Create an enrollment group',
    access,
    body: CreateEnrollmentGroup,
    response: { 201: EnrollmentGroupSummary },
    handler: async ({ body, caller }) => {
      checkTemplate(body.response_template)
      return enrollmentGroupShape(await insertEnrollmentGroup(ctx.db, caller, body))
    },
  }),
  route({
    method: 'GET',
    url: '/api/enrollment-groups',
    summary: 'List enrollment groups',
    access,
    query: OnboardingSearchQuery,
    response: { 200: EnrollmentGroupPage },
    handler: async ({ query, caller }) => {
      const page = pageRequest(query, isUuid)
      const rows = await listEnrollmentGroups(ctx.db, caller.tenantId, { search: query.search, page })
      return onboardingPage({ rows, limit: page.limit, shape: enrollmentGroupShape })
    },
  }),
  route({
    method: 'GET',
    url: '/api/enrollment-groups/{id}',
    summary: 'Get an enrollment group',
    access,
    params,
    response: { 200: EnrollmentGroup },
    handler: async ({ params: { id }, caller }) =>
      enrollmentGroupShape(await getEnrollmentGroup(ctx.db, caller.tenantId, id)),
  }),
  route({
    method: 'PUT',
    url: '/api/enrollment-groups/{id}',
    summary: 'Update an enrollment group; absent fields keep their values',
    access,
    params,
    query: IfReady,
    body: UpdateEnrollmentGroup,
    response: { 200: EnrollmentGroup },
    handler: async ({ params: { id }, query: { if_ready: ifReady }, body, caller }) => {
      checkTemplate(body.response_template)
      if (ifReady) await ctx.settingsRecorder.flush()
      const change = { id, fields: body, ifReady }
      return enrollmentGroupShape(await updateEnrollmentGroup(ctx.db, caller, change))
    },
  }),
  route({
    method: 'DELETE',
    url: '/api/enrollment-groups/{id}',
    summary: 'Delete an enrollment group that has no devices',
    access,
    params,
    response: { 204: null },
    handler: ({ params: { id }, caller }) => deleteEnrollmentGroup(ctx.db, caller, id),
  }),
]

/** Refuses unknown variables when the group is saved, not when a device requests its settings. [docs/onboarding#response-templates] */
function checkTemplate(template: Template | undefined) {
  const issues = template ? findTemplateIssues(template) : []
  if (issues.length > 0) throw validationError(...issues.slice(0, 20))
}
