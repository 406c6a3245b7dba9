/**
 * A file system that is read-only except for one directory, like that of a container or of a unit with
 * ProtectSystem=strict.
 */
import { spawnSync } from 'node:child_process'
import type { Account } from './checkout.ts'

const script = `set -e
directory=$1 uid=$2 gid=$3
shift 3
mount --bind "$directory" "$directory"
mount -o remount,bind,ro /
exec setpriv --reuid="$uid" --regid="$gid" --clear-groups "$@"`

/** @returns the command that runs another one as that account, with write access only to `directory` */
export const withReadOnlyRoot = (command: string[], directory: string, { uid, gid }: Account) =>
  ['unshare', '--mount', 'sh', '-c', script, 'sh', directory, `${uid}`, `${gid}`].concat(command)

export const canHaveReadOnlyRoot = (account: Account): boolean => {
  const [program, ...args] = withReadOnlyRoot(['true'], '/tmp', account)
  const isPossible = spawnSync(program!, args).status === 0
  if (!isPossible) console.log('Skipped: a read-only file system (unshare --mount is not permitted)')
  return isPossible
}
