/** Calls the API. An answer other than 2xx is thrown as an error with its `status`. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers of any route
export type Api = (method: string, path: string, body?: unknown) => Promise<any>

export const hostileNames: string[]
export function makeApi(url: string, user: { email: string; password: string }): Promise<Api>
export function makeDevices(api: Api, options?: { count?: number }): Promise<{ providerId: string }>
export function deployTwice(api: Api, clientId: string): Promise<void>
export function sendValues(api: Api, clientId: string, values: object): Promise<unknown>
export function until(isTrue: () => Promise<boolean>): Promise<void>
