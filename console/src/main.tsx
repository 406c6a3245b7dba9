import '@mantine/core/styles.css'
import './tokens.css'
import './global.css'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiProvider } from './api/ApiProvider.tsx'
import { FormatProvider } from './format.ts'
import { watchSheets } from './load-part.ts'
import { Look } from './shell/Look.tsx'
import { PreferencesProvider } from './preferences.tsx'
import { createConsoleRouter } from './router.tsx'
import { SessionProvider } from './session/SessionProvider.tsx'
import { Outage } from './shell/Outage.tsx'
import { WordsProvider } from './words/words.tsx'
import { PartBoundary } from './parts/PartBoundary.tsx'

watchSheets()

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <PreferencesProvider>
      <WordsProvider>
        <FormatProvider>
          <PartBoundary>
            <Look>
              <Outage>
                <SessionProvider>
                  <ApiProvider>
                    <RouterProvider router={createConsoleRouter()} />
                  </ApiProvider>
                </SessionProvider>
              </Outage>
            </Look>
          </PartBoundary>
        </FormatProvider>
      </WordsProvider>
    </PreferencesProvider>
  </StrictMode>,
)
