/** Passwords of users: argon2id with the library's defaults (19 MiB, two passes). */
import { hash, verify } from '@node-rs/argon2'

export const hashPassword = (password: string): Promise<string> => hash(password)

const hashOfNobody = hash('nobody has this password')

/** Checks a password. An unknown account takes as long as a wrong password, so that the time reveals nothing. */
export async function verifyPassword(
  password: string,
  passwordHash: string | null | undefined,
): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await hashOfNobody), password).catch(() => false)
  return matches && passwordHash != null
}
