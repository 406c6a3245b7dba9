import type { Page, WebSocketRoute } from 'playwright-core'

export interface Sockets {
  /** Closes the sockets of the page; until `mend`, new ones fail, too. */
  cut: () => void
  /** Leaves the sockets open, but nothing passes them any more, as on a network that drops packets. */
  silence: () => void
  mend: () => void
}

/** Passes the sockets of a page through until they are cut or silenced; before the page is opened. */
export async function passSockets(page: Page): Promise<Sockets> {
  const open = new Set<WebSocketRoute>()
  let state: 'passing' | 'silent' | 'cut' = 'passing'
  await page.routeWebSocket(/./, (socket) => {
    if (state === 'cut') return void socket.close()
    // A socket of a silent network stays silent: it never opens.
    if (state === 'silent') return
    const server = socket.connectToServer()
    socket.onMessage((message) => {
      if (state === 'passing') server.send(message)
    })
    server.onMessage((message) => {
      if (state === 'passing') socket.send(message)
    })
    open.add(socket)
  })
  return {
    cut: () => {
      state = 'cut'
      for (const socket of open) void socket.close()
      open.clear()
    },
    silence: () => {
      state = 'silent'
    },
    mend: () => {
      state = 'passing'
    },
  }
}
