import { MantineProvider } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useMemo } from 'react'
import { cspNonce } from '../csp-nonce.ts'
import { usePreferences } from '../preferences.tsx'
import { createConsoleTheme } from '../theme.ts'
import { useWords } from '../words/words.tsx'

/** Light or dark, and Mantine without style elements of its own: its variables stand in `tokens.css`. */
export function Look({ children }: { children: ReactNode }) {
  const { preferences } = usePreferences()
  const words = useWords('common')
  const theme = useMemo(() => createConsoleTheme(words), [words])
  const isSystemDark = useMediaQuery('(prefers-color-scheme: dark)', undefined, {
    getInitialValueInEffect: false,
  })
  const system = isSystemDark ? 'dark' : 'light'
  return (
    <MantineProvider
      theme={theme}
      forceColorScheme={preferences.scheme === 'system' ? system : preferences.scheme}
      withCssVariables={false}
      withGlobalClasses={false}
      getStyleNonce={cspNonce}
    >
      {children}
    </MantineProvider>
  )
}
