const key = (name: string) => `gangway.draft.${name}`

/** What was typed and not saved before this tab was loaded again. */
export function readDraft<Values>(name: string): Partial<Values> | null {
  try {
    const text = sessionStorage.getItem(key(name))
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

/** @param values null forgets the draft */
export function writeDraft(name: string, values: object | null) {
  try {
    if (values === null) sessionStorage.removeItem(key(name))
    else sessionStorage.setItem(key(name), JSON.stringify(values))
  } catch {
    // Full or forbidden storage: the guard of the page still asks before it is left.
  }
}
