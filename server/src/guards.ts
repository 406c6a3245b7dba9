/** What each access means, whoever it is about: people and automations, devices, providers. */
import { createUserGuards } from './access/guards.ts'
import type { Context } from './context.ts'
import type { Guards } from './http/access.ts'
import { createOnboardingGuards } from './onboarding/guards.ts'

export const createGuards = (ctx: Context): Guards => ({
  ...createUserGuards(ctx),
  ...createOnboardingGuards(ctx),
})
