import { ApiError } from '@gangway/client'
import type { Form } from '../../parts/form/use-form.ts'
import { Refusal } from '../../parts/Refusal.tsx'

/** Whether the error names the request body as a whole instead of a field: it is then shown above the form. */
const isOfBody = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.issues.some(({ path }) => path === 'body')

export const BodyRefusal = ({ form }: { form: { failure: unknown } }) =>
  isOfBody(form.failure) ? <Refusal error={form.failure} /> : null

/** Removes the error from the form that the save bar gets, so that it is not shown twice. */
export const withoutBodyRefusal = <Values extends object>(form: Form<Values>): Form<Values> =>
  isOfBody(form.failure) ? { ...form, failure: null } : form
