import type { Schemas } from '@gangway/client'

/** The origin of the onboarding service from the perspective of this page; the service may have a port of its own. */
export function findOnboardingOrigin({ http, onboarding }: Schemas['Endpoints']): string {
  if (http === onboarding) return location.origin
  return `${location.protocol}//${location.hostname}:${new URL(onboarding).port}`
}
