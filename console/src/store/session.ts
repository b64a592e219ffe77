import { defineStore } from 'pinia'
import { ref } from 'vue'

import { CallFailed, onUnauthorized } from '@/api/request'
import { sessionApi, type Me } from '@/api/session'

/** The signed-in user. */
export const useSessionStore = defineStore('session', () => {
  const me = ref<Me | null>(null)
  /** The server does not know the caller: some call was answered with 401. */
  const isSignedOut = ref(false)
  /** The server was asked once, with any outcome. Before that no page is shown. */
  const isChecked = ref(false)

  function signOut(): void {
    me.value = null
    isSignedOut.value = true
  }

  onUnauthorized(signOut)

  async function load(): Promise<void> {
    try {
      me.value = await sessionApi.me()
      isSignedOut.value = false
    } catch (failure) {
      if (!(failure instanceof CallFailed)) throw failure
    } finally {
      isChecked.value = true
    }
  }

  async function logout(): Promise<void> {
    await sessionApi.logout()
    signOut()
  }

  return { me, isSignedOut, isChecked, load, logout }
})
