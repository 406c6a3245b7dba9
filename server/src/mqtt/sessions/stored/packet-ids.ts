import type { PacketIdChoice } from './operations.ts'

const MAX_PACKET_ID = 65_535

/**
 * @param used live: what others use from now on is avoided, and what is chosen is added. What was in use at the time of
 * this call is avoided too, since its deletion may not be stored yet.
 */
export function choosePacketIds(used: Set<number>): PacketIdChoice {
  const usedBefore = new Set(used)
  let chosen: number[] = []
  let next = 1
  return {
    choose: () => {
      while (used.has(next) || usedBefore.has(next)) next++
      if (next > MAX_PACKET_ID) return undefined
      used.add(next)
      chosen.push(next)
      return next
    },
    revert: () => {
      for (const packetId of chosen) used.delete(packetId)
      chosen = []
      next = 1
    },
  }
}
