/** The sub-protocols of a real-time connection. [docs/push#messages] */
export const RELIABLE = 'json.reliable.webpubsub.azure.v1'
export const JSON_ONLY = 'json.webpubsub.azure.v1'
/** Without a sub-protocol, data are sent without an envelope. */
export type Protocol = typeof RELIABLE | typeof JSON_ONLY | undefined
