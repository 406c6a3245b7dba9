import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react'

/** What a person chose for this browser. Nothing of it is secret. */
export interface Preferences {
  scheme: 'system' | 'light' | 'dark'
  /** `system` follows the browser. */
  language: string
  /** An IANA name, or `system` for the browser's own. */
  zone: string
  isCompact: boolean
  isRailNarrow: boolean
  /** Whether the title of the window counts the alarms that nobody has acknowledged. */
  isAlarmCounted: boolean
  /** Whether a new alarm plays a sound. */
  isAlarmHeard: boolean
  /** Hidden columns of each table, by the table's name. */
  hiddenColumns: Record<string, string[]>
}

const STORAGE_KEY = 'gangway.preferences'
const defaults: Preferences = {
  scheme: 'system',
  language: 'system',
  zone: 'system',
  isCompact: false,
  isRailNarrow: false,
  isAlarmCounted: false,
  isAlarmHeard: false,
  hiddenColumns: {},
}

const PreferencesContext = createContext<{
  preferences: Preferences
  change: (changes: Partial<Preferences>) => void
} | null>(null)

export function PreferencesProvider({ children }: { children: ReactNode }) {
  const [preferences, setPreferences] = useState(readPreferences)
  const change = useCallback(
    (changes: Partial<Preferences>) => setPreferences((present) => ({ ...present, ...changes })),
    [],
  )
  useEffect(() => writePreferences(preferences), [preferences])
  useEffect(() => {
    document.documentElement.dataset.density = preferences.isCompact ? 'compact' : 'normal'
  }, [preferences.isCompact])
  const value = useMemo(() => ({ preferences, change }), [preferences, change])
  return <PreferencesContext value={value}>{children}</PreferencesContext>
}

export function usePreferences() {
  const value = use(PreferencesContext)
  if (value === null) throw new Error('usePreferences needs a PreferencesProvider')
  return value
}

/** Storage may be forbidden, or hold what an older version wrote. */
function readPreferences(): Preferences {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}') }
  } catch {
    return defaults
  }
}

function writePreferences(preferences: Preferences) {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(preferences))
  } catch {
    // A full or forbidden storage costs only the choice.
  }
}
