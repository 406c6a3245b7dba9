import { useCallback } from 'react'
import { useWords } from '../../../words/words.tsx'
import type { OnboardingDevice } from './device.ts'

/** @returns a function that names the key a device used last; an empty text if it never requested settings */
export function useKeyWords() {
  const { usedKey } = useWords('onboardingDevices')
  return useCallback(
    ({ last_key_kind: kind, last_key_slot: slot }: OnboardingDevice) =>
      kind === null ? '' : usedKey(slot ?? 'replaced', kind),
    [usedKey],
  )
}
