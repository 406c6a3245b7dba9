import type { ComponentType } from 'react'
import type { Privilege } from '../pages/access/privileges.ts'
import type { RootPrivilege } from '../pages/access/use-root-privilege.ts'
import type { IconName } from '../parts/Icon.tsx'
import type { Catalogue } from '../words/catalogue.ts'

export interface PageRoute {
  /** Below `/console`, with parameters as `$name`. */
  path: string
  kind: 'list' | 'detail' | 'editor' | 'flow' | 'home'
  /** The name of the page in `words/<language>/shell.ts`, `pages`. */
  title: keyof Catalogue['shell']['pages']
  /** Where the rail and the palette show it; pages below another one have none. */
  rail?: { group: 'operate' | 'set-up' | 'administer'; icon: IconName; isOnPhone?: boolean }
  /** The icon under which the command palette lists the page, if it is not in the rail. */
  palette?: IconName
  /** The privilege without which the page cannot do what it is for. */
  needs?: Privilege
  /** The same, if the API asks for the privilege in the root organization. */
  needsInRoot?: RootPrivilege
  page: () => Promise<{ default: ComponentType }>
}
