import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { PageLink } from '../links.ts'

interface Props {
  link: PageLink
  children: ReactNode
  className?: string
  title?: string
  tabIndex?: number
}

/** A link to a page of the console: `<PageAnchor link={links.device('mqtt', 'pump-7')}>`. */
export const PageAnchor = ({ link, ...props }: Props) => <Link {...props} {...(link as { to: string })} />
