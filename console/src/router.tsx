import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { loadPart } from './load-part.ts'
import { FailurePage, NotFoundPage } from './shell/FailurePage.tsx'
import { PageFrame } from './shell/PageFrame.tsx'
import { Root } from './shell/Root.tsx'
import type { PageRoute } from './routes/page-route.ts'
import { routes } from './routes/routes.ts'
import { parseSearch, stringifySearch } from './url-state.ts'

const loaded = (load: PageRoute['page']) => lazyRouteComponent(() => loadPart(load))

const root = createRootRoute({ component: Root, notFoundComponent: NotFoundPage })

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: loaded(() => import('./session/ResetPassword.tsx')),
})

const signInCallback = createRoute({
  getParentRoute: () => root,
  path: '/signed-in',
  component: loaded(() => import('./session/OidcCallback.tsx')),
})

/** A dashboard on a screen, with a token in the place of a sign-in. */
const kiosk = createRoute({
  getParentRoute: () => root,
  path: '/kiosk/$dashboardId',
  component: loaded(() => import('./pages/dashboards/kiosk/KioskPage.tsx')),
})

/** Pages of somebody who is signed in. */
const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: PageFrame })

/** A page that says what is missing to users without the privilege. */
async function guard({ page, needs, needsInRoot }: PageRoute) {
  const [{ default: Page }, { NeedsPrivilege, NeedsRootPrivilege }] = await Promise.all([
    page(),
    import('./pages/access/NeedsPrivilege.tsx'),
  ])
  const inRoot = (
    <NeedsRootPrivilege privilege={needsInRoot!}>
      <Page />
    </NeedsRootPrivilege>
  )
  const anywhere = (
    <NeedsPrivilege privilege={needs!}>
      <Page />
    </NeedsPrivilege>
  )
  return { default: () => (needsInRoot === undefined ? anywhere : inRoot) }
}

const isGuarded = ({ needs, needsInRoot }: PageRoute) => needs !== undefined || needsInRoot !== undefined

const pages = routes.map((route) => {
  const { path, page, title, kind } = route
  return createRoute({
    getParentRoute: () => shell,
    path,
    component: loaded(isGuarded(route) ? () => guard(route) : page),
    staticData: { title, kind },
  })
})

export const createConsoleRouter = () =>
  createRouter({
    routeTree: root.addChildren([resetPassword, signInCallback, kiosk, shell.addChildren(pages)]),
    basepath: '/console',
    parseSearch,
    stringifySearch,
    defaultErrorComponent: FailurePage,
    defaultPreload: 'intent',
    scrollRestoration: true,
  })
