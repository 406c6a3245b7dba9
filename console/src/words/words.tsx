import { createContext, type ReactNode, use, useDeferredValue, useEffect, useState } from 'react'
import { usePreferences } from '../preferences.tsx'
import type { Area, Catalogue } from './catalogue.ts'
import { languages, loadArea } from './languages.ts'

interface WordStore {
  language: string
  /** The words of the areas that are loaded already. */
  loaded: Partial<Catalogue>
  load: <A extends Area>(area: A) => Promise<Catalogue[A]>
}

const WordsContext = createContext<WordStore | null>(null)

export function WordsProvider({ children }: { children: ReactNode }) {
  const { preferences } = usePreferences()
  // The page keeps the words that it shows, and the focus, until those of another language are loaded.
  const language = useDeferredValue(chooseLanguage(preferences.language, navigator.languages))
  const [stores] = useState(createWordStores)
  const store = stores[language]!
  // Every page needs both, one after the other.
  preload(store, ['common', 'shell'])
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  return <WordsContext value={store}>{children}</WordsContext>
}

/**
 * The words of an area in the present language; suspends until they are loaded.
 *
 *     const words = useWords('devices')
 *     <h1>{words.title}</h1>
 */
export function useWords<A extends Area>(area: A): Catalogue[A] {
  const { loaded, load } = useWordStore()
  // `use` suspends when it reads a promise for the first time, even a fulfilled one.
  return loaded[area] ?? use(load(area))
}

/** Loads the words of areas that the page needs after something else, and does not suspend. */
export function useLoadedWords(...areas: Area[]): void {
  const store = useWordStore()
  const key = areas.join()
  useEffect(() => preload(store, key.split(',') as Area[]), [store, key])
}

/** A failure is reported by `useWords`. */
function preload(store: WordStore, areas: Area[]): void {
  for (const area of areas) store.load(area).catch(() => {})
}

export const useLanguage = () => useWordStore().language

function useWordStore() {
  const store = use(WordsContext)
  if (store === null) throw new Error('useWords needs a WordsProvider')
  return store
}

const createWordStores = () =>
  Object.fromEntries(
    Object.keys(languages).map((language) => [language, createWordStore(language)]),
  ) as Record<string, WordStore>

function createWordStore(language: string): WordStore {
  const loaded: Partial<Catalogue> = {}
  const loading = new Map<Area, Promise<unknown>>()
  const loadNew = async <A extends Area>(area: A) => {
    const words = (await loadArea(language, area)) as Catalogue[A]
    loaded[area] = words
    return words
  }
  return {
    language,
    loaded,
    load: <A extends Area>(area: A) => {
      const words = loading.get(area) ?? loadNew(area)
      loading.set(area, words)
      return words as Promise<Catalogue[A]>
    },
  }
}

/** The chosen language, else the first of the browser's that there is, else English. */
function chooseLanguage(chosen: string, ofBrowser: readonly string[]): string {
  const isKnown = (name: string) => Object.hasOwn(languages, name)
  if (isKnown(chosen)) return chosen
  return ofBrowser.map((tag) => tag.split('-')[0]!.toLowerCase()).find(isKnown) ?? 'en'
}
