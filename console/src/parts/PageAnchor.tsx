import { Link } from '@tanstack/react-router'
import { type ReactNode, use } from 'react'
import type { PageLink } from '../links.ts'
import { ViewOnlyContext } from './view-only.ts'

interface Props {
  link: PageLink
  children: ReactNode
  className?: string
  title?: string
  tabIndex?: number
}

/** A link to a page of the console: `<PageAnchor link={links.device('mqtt', 'pump-7')}>`. */
export function PageAnchor({ link, ...props }: Props) {
  const isViewOnly = use(ViewOnlyContext)
  return isViewOnly ? <span {...props} /> : <Link {...props} {...(link as { to: string })} />
}
