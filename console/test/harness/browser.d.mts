import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

export interface Look {
  name: string
  width: number
  height: number
  scheme: 'light' | 'dark'
}

export const variants: Look[]
export function findChromium(): string | undefined
export function launchBrowser(): Promise<Browser>
export function openContext(
  browser: Browser,
  look: Look,
  options?: BrowserContextOptions,
): Promise<BrowserContext>
export function signIn(page: Page, user: { email: string; password: string }): Promise<void>
export function untilSettled(page: Page): Promise<void>
export function untilPainted(page: Page): Promise<void>
