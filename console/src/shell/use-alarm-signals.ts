/** What tells a person of alarms outside the page of alarms, if that was chosen: a count in the title, and a sound. */
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { useApi } from '../api/ApiProvider.tsx'
import { usePreferences } from '../preferences.tsx'
import { playChime } from './play-chime.ts'

/** Also in the background. An account has 1000 requests an hour, of which each of the two takes 120. */
const READ_MS = 30_000
const NEWEST = 100

/** @returns the number of open alarms that nobody has acknowledged; 0 if the count was not chosen or is not known */
export function useAlarmCount(): number {
  const api = useApi()
  const { preferences } = usePreferences()
  const { data } = useQuery({
    queryKey: ['alarms', 'title'],
    queryFn: ({ signal }) => api.get('/v1/overview', { signal }),
    enabled: preferences.isAlarmCounted,
    refetchInterval: READ_MS,
    refetchIntervalInBackground: true,
    retry: false,
  })
  return preferences.isAlarmCounted ? (data?.alarms?.unacknowledged ?? 0) : 0
}

/** Plays a sound when an alarm has become active that was not there when the page was read before. */
export function useAlarmSound(): void {
  const api = useApi()
  const { preferences } = usePreferences()
  const play = useChime()
  const { data } = useQuery({
    queryKey: ['alarms', 'sound'],
    queryFn: ({ signal }) =>
      api.get('/v1/alarms/status', { query: { state: 'active_unacknowledged', limit: NEWEST }, signal }),
    enabled: preferences.isAlarmHeard,
    refetchInterval: READ_MS,
    refetchIntervalInBackground: true,
    retry: false,
  })
  const newest = useRef<string | null>(null)
  useEffect(() => {
    if (!preferences.isAlarmHeard) newest.current = null
    else if (data !== undefined) {
      const before = newest.current
      newest.current = findNewest(before, data)
      if (before !== null && newest.current > before) play()
    }
  }, [data, preferences.isAlarmHeard, play])
}

/**
 * Answers the newest id that was ever read: when alarms are acknowledged, older ones move up in the list and are not new.
 *
 * @param before null at the first read
 * @param statuses the newest first; ids are ordered by time
 * @returns '' if there was none
 */
export function findNewest(before: string | null, statuses: readonly { alarmStatusId: string }[]): string {
  const first = statuses[0]?.alarmStatusId ?? ''
  return before === null || first > before ? first : before
}

/** Browsers play it only after a click or a key in the page. */
export function useChime(): () => void {
  const context = useRef<AudioContext | null>(null)
  useEffect(() => () => void context.current?.close(), [])
  return useCallback(() => {
    context.current ??= new AudioContext()
    void playChime(context.current)
  }, [])
}
