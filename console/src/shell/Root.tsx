import { Outlet } from '@tanstack/react-router'
import { PartBoundary } from '../parts/PartBoundary.tsx'

/** Around every page, also those without a sign-in. */
export function Root() {
  return (
    <PartBoundary>
      <Outlet />
    </PartBoundary>
  )
}
