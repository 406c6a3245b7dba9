import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useApi } from '../api/ApiProvider.tsx'
import { useUser } from '../session/SessionProvider.tsx'
import { accentVariables } from './accent.ts'
import { useMantineColorScheme } from '@mantine/core'

/** Applies the accent of the organization's theme, in the shade that is readable on the present ground. */
export function OrganizationTheme() {
  const api = useApi()
  const { colorScheme } = useMantineColorScheme()
  const { data } = useQuery({
    queryKey: ['theme'],
    queryFn: () => api.get('/v1/themes/current'),
    staleTime: 300_000,
  })
  const primary = (data?.colors as Record<string, string> | null | undefined)?.primary
  useEffect(() => {
    const variables = primary === undefined ? {} : accentVariables(primary, colorScheme === 'dark')
    const { style } = document.documentElement
    for (const [name, value] of Object.entries(variables)) style.setProperty(name, value)
    return () => Object.keys(variables).forEach((name) => style.removeProperty(name))
  }, [primary, colorScheme])
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
