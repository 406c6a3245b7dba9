/** The sub-protocols of a real-time connection. [docs/push#messages] */
export const RELIABLE = 'json.reliable.webpubsub.azure.v1'
export const JSON_ONLY = 'json.webpubsub.azure.v1'
/** Without a sub-protocol the data come as they are. */
export type Protocol = typeof RELIABLE | typeof JSON_ONLY | undefined
