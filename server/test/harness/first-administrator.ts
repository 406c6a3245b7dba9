/** The administrator of the tenant `default` on every platform of the tests. */
export const adminPassword = 'correct horse battery'

export const firstAdministrator = { adminEmail: 'admin@example.com', adminPassword }
