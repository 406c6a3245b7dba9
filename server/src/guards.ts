/** The guards of all kinds of access: for users and API tokens, devices and providers. */
import { createUserGuards } from './access/guards.ts'
import type { Context } from './context.ts'
import type { Guards } from './http/access.ts'
import { createOnboardingGuards } from './onboarding/guards.ts'

export const createGuards = (ctx: Context): Guards => ({
  ...createUserGuards(ctx),
  ...createOnboardingGuards(ctx),
})
