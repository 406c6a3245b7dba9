import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useWords } from '../../words/words.tsx'
import { pickOvertaken, rebase } from './history.ts'

interface Options<Stored, Values> {
  /** The key under which the page keeps the object. */
  queryKey: QueryKey
  read: () => Promise<Stored>
  start: (stored: Stored) => Values
}

/**
 * Reads an object again before it is saved, since somebody else may have saved it after the page read it.
 *
 * @returns a function that answers the values to save: fields that were not changed here are as they are stored now. It
 * throws if somebody else has saved other values of fields that were changed here; the form then shows those, and the
 * next attempt replaces them.
 */
export function useSaveOver<Stored, Values extends object>({
  queryKey,
  read,
  start,
}: Options<Stored, Values>) {
  const cache = useQueryClient()
  const { savedMeanwhile } = useWords('common')
  return async (values: Values, former: Values): Promise<Values> => {
    const stored = await read()
    const present = start(stored)
    if (Object.keys(pickOvertaken(values, former, present)).length === 0)
      return rebase(values, former, present)
    cache.setQueryData(queryKey, stored)
    throw new Error(savedMeanwhile)
  }
}
