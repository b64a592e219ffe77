import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import { alertsBefore, type Alert } from '@/api/alerts'

import { Loader } from './loader'

export const FIRST_ALERTS = 20
export const OLDER_ALERTS = 100
/** A limit, because a page may stay open for weeks. */
export const MAX_ALERTS = 1000

/** The alerts, newest first. The list is loaded only while a page shows it. */
export const useAlertsStore = defineStore('alerts', () => {
  const items = shallowRef<Alert[]>([])
  /** The newest alert of the event stream, also while no page shows the list. */
  const latest = shallowRef<Alert | null>(null)
  const isKnown = ref(false)
  const isComplete = ref(false)
  const isOpen = ref(false)
  let pageSize = FIRST_ALERTS
  const loader = new Loader()

  function put(more: readonly Alert[]): void {
    const byId = new Map([...items.value, ...more].map((alert) => [alert.id, alert]))
    items.value = [...byId.values()].sort((a, b) => b.id - a.id).slice(0, MAX_ALERTS)
  }

  function take(alert: Alert): void {
    latest.value = alert
    if (isOpen.value) put([alert])
  }

  async function read(): Promise<void> {
    const newest = await alertsBefore(pageSize, null)
    const oldest = newest.at(-1)?.id ?? 0
    // After a long break there may be a gap between the new page and the known alerts.
    const isGap = items.value.length > 0 && newest.length === pageSize && !items.value.some((alert) => alert.id >= oldest)
    if (isGap) items.value = []
    if (isGap || !isKnown.value) isComplete.value = newest.length < pageSize
    put(newest)
    isKnown.value = true
  }

  const load = (): Promise<void> => (isOpen.value ? loader.run('newest', read) : Promise.resolve())

  function open(count = FIRST_ALERTS): Promise<void> {
    isOpen.value = true
    pageSize = count
    items.value = []
    isKnown.value = false
    isComplete.value = false
    return load()
  }

  function close(): void {
    isOpen.value = false
  }

  const loadOlder = (): Promise<void> =>
    loader.run('older', async () => {
      const more = await alertsBefore(OLDER_ALERTS, items.value.at(-1)?.id ?? null)
      isComplete.value = more.length < OLDER_ALERTS || items.value.length + more.length >= MAX_ALERTS
      put(more)
    })

  return { items: computed(() => items.value), latest, isKnown, isComplete, state: loader.state, take, open, close, load, loadOlder }
})
