/** What was typed and not saved, in the storage of the tab, each user's apart. */
const PREFIX = 'gangway.draft.'

const key = (userId: string, name: string) => `${PREFIX}${userId}.${name}`

/** What the user typed and did not save before this tab was loaded again. */
export function readDraft<Values>(userId: string, name: string): Partial<Values> | null {
  try {
    const text = sessionStorage.getItem(key(userId, name))
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

/** @param values null forgets the draft */
export function writeDraft(userId: string, name: string, values: object | null) {
  try {
    if (values === null) sessionStorage.removeItem(key(userId, name))
    else sessionStorage.setItem(key(userId, name), JSON.stringify(values))
  } catch {
    // Full or forbidden storage: the guard of the page still asks before it is left.
  }
}

/** Deletes the drafts of all users: after a sign-out, the next person at this tab must not find them. */
export function deleteDrafts() {
  try {
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(PREFIX)) sessionStorage.removeItem(name)
  } catch {
    // Forbidden storage holds no drafts.
  }
}
