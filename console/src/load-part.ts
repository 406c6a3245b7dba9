import { type ComponentType, lazy } from 'react'

const PROBE_EVERY_MS = 2000

/**
 * Loads a part of the console: its code and styles, or words. While the server cannot be reached, this waits for it: a
 * page that was opened shortly before a restart still completes itself.
 *
 * @param load an `import()`
 * @throws what `load` threw, if the server answers and the part still cannot be loaded; `isMissingPart` tells
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  for (let failures = 0; ; failures += 1) {
    try {
      if (failures > 0) await loadFailedSheets()
      const part = await load()
      // In a task of its own: React receives the part in a microtask after this function has returned it.
      setTimeout(tellLoaded)
      return part
    } catch (error) {
      // The server may have come back between the failure and this question; so only the second one counts.
      const hadToWait = await untilReachable()
      if (hadToWait) failures = 0
      else if (failures > 0) {
        missing.add(error)
        throw error
      }
    }
  }
}

let loadedParts = 0
const loadListeners = new Set<() => void>()

function tellLoaded() {
  loadedParts += 1
  for (const listener of loadListeners) listener()
}

/** How many parts this page has loaded, the same one loaded twice counted twice. */
export const countLoadedParts = () => loadedParts

/** @returns ends the subscription */
export function onPartLoaded(listener: () => void): () => void {
  loadListeners.add(listener)
  return () => loadListeners.delete(listener)
}

/** The component of a module of its own, which is loaded when it is first rendered. */
// oxlint-disable-next-line typescript/no-explicit-any -- React's own bound: the properties are those of the module
export const lazyPart = <Part extends ComponentType<any>>(load: () => Promise<{ default: Part }>) =>
  lazy(() => loadPart(load))

/** True for a part that the server does not have: its console was replaced while this page was open. */
export const isMissingPart = (error: unknown) => missing.has(error)

const missing = new Set<unknown>()

/** @returns true if the server did not answer at once */
async function untilReachable(): Promise<boolean> {
  for (let attempts = 0; ; attempts += 1) {
    if (await isReachable()) return attempts > 0
    await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS))
  }
}

/** A proxy answers for a server that is down, with 502 to 504. */
const isReachable = () =>
  fetch(import.meta.env.BASE_URL, { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  )

const failedSheets: HTMLLinkElement[] = []

/** Keeps sheets that fail, for `loadPart`; before the first part is loaded. */
export const watchSheets = () =>
  document.addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failedSheets.push(target)
    },
    // The event does not bubble.
    { capture: true },
  )

/** The build's loader asks only once for a sheet, and takes one that failed for loaded. */
const loadFailedSheets = () => Promise.all(failedSheets.splice(0).map(loadAgain))

function loadAgain(failed: HTMLLinkElement): Promise<unknown> {
  const link = failed.cloneNode() as HTMLLinkElement
  const loaded = new Promise((resolve, reject) => {
    link.addEventListener('load', resolve)
    link.addEventListener('error', () => reject(new Error(`${link.href} could not be loaded`)))
  })
  failed.replaceWith(link)
  return loaded
}
