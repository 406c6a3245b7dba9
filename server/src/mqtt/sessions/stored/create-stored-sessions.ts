import type { StoredSessionEvents, StoredSessions } from './stored-sessions.ts'
export function createStoredSessions(_runtime: object, _events: StoredSessionEvents): StoredSessions {
  let number = 0
  return {
    open: async () => ({
      key: { number: ++number, generation: 1 },
      isResumed: false,
      subscriptions: [],
      messages: [],
      received: [],
    }),
    remove: async () => {},
    saveSubscriptions: async () => {},
    insertMessage: async () => ++number,
    releaseMessage: async () => {},
    deleteMessage: async () => {},
    insertReceived: async () => {},
    deleteReceived: async () => {},
    leave: async () => {},
    list: async () => [],
    insertForOthers: async () => {},
    takeNewMessages: async () => [],
    putRetained: async () => true,
    listRetained: async () => [],
    [Symbol.asyncDispose]: async () => {},
  }
}
