import { computed, ref, shallowRef } from 'vue'

import { alertsBefore, type Alert } from '@/api/alerts'

import { Loading } from './loading'

export const FIRST_ALERTS = 20
export const OLDER_ALERTS = 100
/** A page may stay open for weeks. */
export const MOST_ALERTS = 1000

/** What an operator should know, newest first, while somebody looks at it. */
export function alertsPart(now: () => number) {
  const items = shallowRef<Alert[]>([])
  /** The last that came by the stream, whether somebody looks at the list or not. */
  const latest = shallowRef<Alert | null>(null)
  const isKnown = ref(false)
  const isComplete = ref(false)
  const isOpen = ref(false)
  let first = FIRST_ALERTS
  const loading = new Loading(now)

  function put(more: readonly Alert[]): void {
    const byId = new Map([...items.value, ...more].map((alert) => [alert.id, alert]))
    items.value = [...byId.values()].sort((a, b) => b.id - a.id).slice(0, MOST_ALERTS)
  }

  function take(alert: Alert): void {
    latest.value = alert
    if (isOpen.value) put([alert])
  }

  async function read(): Promise<void> {
    const newest = await alertsBefore(first, null)
    const oldest = newest.at(-1)?.id ?? 0
    // After a long break the new page may not reach down to what was known.
    const isGap = items.value.length > 0 && newest.length === first && !items.value.some((alert) => alert.id >= oldest)
    if (isGap) items.value = []
    if (isGap || !isKnown.value) isComplete.value = newest.length < first
    put(newest)
    isKnown.value = true
  }

  const load = (): Promise<void> => (isOpen.value ? loading.run('alerts', read) : Promise.resolve())

  function open(count = FIRST_ALERTS): Promise<void> {
    isOpen.value = true
    first = count
    items.value = []
    isKnown.value = false
    isComplete.value = false
    return load()
  }

  function close(): void {
    isOpen.value = false
  }

  const older = (): Promise<void> =>
    loading.run('older', async () => {
      const more = await alertsBefore(OLDER_ALERTS, items.value.at(-1)?.id ?? null)
      isComplete.value = more.length < OLDER_ALERTS || items.value.length + more.length >= MOST_ALERTS
      put(more)
    })

  return { items: computed(() => items.value), latest, isKnown, isComplete, state: loading.state, take, open, close, load, older }
}
