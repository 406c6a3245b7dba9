import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useApi } from '../api/ApiProvider.tsx'
import { useUser } from '../session/SessionProvider.tsx'
import { accentVariables } from './accent.ts'
import { useMantineColorScheme } from '@mantine/core'

/** The links of its pictures work for a day; a page may be open for longer. */
const REFRESH_MS = 6 * 3_600_000

/** The theme that the organization of the user has. */
export function useTheme() {
  const api = useApi()
  return useQuery({
    queryKey: ['theme'],
    queryFn: () => api.get('/v1/themes/current'),
    staleTime: 300_000,
    refetchInterval: REFRESH_MS,
  }).data
}

/** The address of a picture at the origin of this page, from which alone the policy allows pictures. */
export const readPicturePath = (url: string | null | undefined): string | undefined =>
  url === null || url === undefined ? undefined : new URL(url).pathname

/** Applies the theme's icon, and its color in the shade that is readable on the present ground. */
export function OrganizationTheme() {
  const theme = useTheme()
  const { colorScheme } = useMantineColorScheme()
  const primary = (theme?.colors as Record<string, string> | null | undefined)?.primary
  const icon = readPicturePath(theme?.faviconUrl)
  useEffect(() => {
    const variables = primary === undefined ? {} : accentVariables(primary, colorScheme === 'dark')
    const { style } = document.documentElement
    for (const [name, value] of Object.entries(variables)) style.setProperty(name, value)
    return () => Object.keys(variables).forEach((name) => style.removeProperty(name))
  }, [primary, colorScheme])
  useEffect(() => {
    const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon === undefined || link === null) return
    const { href, type } = link
    link.href = icon
    link.removeAttribute('type')
    return () => {
      link.href = href
      link.type = type
    }
  }, [icon])
  return null
}

/** The name of the topmost organization that the user sees. */
export function useOrganization(): string {
  const api = useApi()
  const user = useUser()
  const { data } = useQuery({
    queryKey: ['organizations', 'first'],
    queryFn: () => api.get('/v1/organizations', { query: { limit: 50 } }),
    staleTime: 300_000,
  })
  const known = new Set(data?.map(({ id }) => id))
  const top = data?.find(({ parentOrganizationId: parent }) => parent === null || !known.has(parent))
  return top?.displayName ?? user.tenantId
}
