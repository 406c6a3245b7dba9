import type { Gangway } from '@gangway/client'

/** @returns the authority that devices must trust; empty if the server's certificate has another issuer */
export const loadAuthority = (api: Gangway): Promise<string> => api.get('/v1/ca.crt').catch(() => '')
