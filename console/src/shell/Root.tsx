import { Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'

/** Around every page, also those without a sign-in. */
export function Root() {
  return (
    <Suspense>
      <Outlet />
    </Suspense>
  )
}
