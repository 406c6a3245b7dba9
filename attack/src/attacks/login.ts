import type { Attack } from '../attack.ts'
import { countedText, repeated } from '../many.ts'

export const login: Attack = {
  name: 'login',
  about: 'three hundred wrong passwords at once, each of which costs the server a hash',
  async run({ attacker }) {
    const outcomes = await repeated(300, async (index) => {
      const username = `guess-${index}@attacker.example`
      return (await attacker.request('POST', '/v1/auth/login', { username, password: `wrong ${index}` }))
        .status
    })
    return countedText(outcomes)
  },
}
