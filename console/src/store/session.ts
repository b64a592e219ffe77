import { ref } from 'vue'

import { berth } from '@/api/berth'
import { CallFailed } from '@/api/request'
import type { Me } from '@/api/wire'

/** Who looks at the page. `stranger`: the server does not know them. */
export function sessionPart() {
  const me = ref<Me | null>(null)
  const isStranger = ref(false)
  /** Asked for, whatever came of it: nothing else is worth asking before. */
  const isAsked = ref(false)

  async function load(): Promise<void> {
    try {
      me.value = await berth.me()
      isStranger.value = false
    } catch (failure) {
      if (!(failure instanceof CallFailed)) throw failure
      notice(failure)
    } finally {
      isAsked.value = true
    }
  }

  function notice(failure: CallFailed): void {
    if (failure.status !== 401) return
    me.value = null
    isStranger.value = true
  }

  async function logout(): Promise<void> {
    await berth.logout()
    me.value = null
    isStranger.value = true
  }

  return { me, isStranger, isAsked, load, notice, logout }
}
