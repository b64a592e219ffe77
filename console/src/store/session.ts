import { defineStore } from 'pinia'
import { computed, ref } from 'vue'

import { CallFailed, onUnauthorized } from '@/api/request'
import { sessionApi, type Me, type Role } from '@/api/session'

/** The signed-in user, and what the server allows this user. */
export const useSessionStore = defineStore('session', () => {
  const me = ref<Me | null>(null)
  /** The server does not know the caller: some call was answered with 401. */
  const isSignedOut = ref(false)
  /** The server was asked once, with any outcome. Before that no page is shown. */
  const isChecked = ref(false)
  /** The server accepts passwords; null: it was not asked yet. */
  const hasPasswords = ref<boolean | null>(null)

  /** Each task runs as its owner, on a server for many users. */
  const runsAsOwner = ref(false)

  const role = computed<Role | null>(() => (me.value === null ? null : (me.value.role ?? (me.value.admin ? 'admin' : 'user'))))
  const isAdmin = computed(() => role.value === 'admin')
  /** A viewer changes nothing. Where the role is not known, the server decides. */
  const maySubmit = computed(() => role.value !== 'viewer')
  /** Whose tasks the list shows unless something else is chosen: a user's own; an admin and a viewer see all. */
  const ownTasks = computed(() => (role.value === 'user' ? me.value!.name : ''))

  const isOwn = (owner: string): boolean => me.value?.name === owner
  /** Users see little of each other's tasks. */
  const mayRead = (owner: string): boolean => me.value === null || isAdmin.value || isOwn(owner)
  const mayChange = (owner: string): boolean => mayRead(owner) && maySubmit.value

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

  async function loadLoginWays(): Promise<void> {
    try {
      hasPasswords.value = await sessionApi.hasPasswords()
    } catch (failure) {
      if (!(failure instanceof CallFailed)) throw failure
      hasPasswords.value = false
    }
  }

  async function loadMode(): Promise<void> {
    try {
      runsAsOwner.value = await sessionApi.runsAsOwner()
    } catch (failure) {
      if (!(failure instanceof CallFailed)) throw failure
    }
  }

  async function logout(): Promise<void> {
    await sessionApi.logout()
    signOut()
  }

  return { me, role, isAdmin, maySubmit, ownTasks, isOwn, mayRead, mayChange, isSignedOut, isChecked, hasPasswords, runsAsOwner, load, loadLoginWays, loadMode, logout }
})
