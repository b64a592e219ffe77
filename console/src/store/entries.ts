import { ref, shallowRef } from 'vue'

import { Loading } from './loading'

/** Values that an admin can change, while somebody looks at them. */
export function entriesPart<T, C extends unknown[]>(now: () => number, ask: () => Promise<T>, change: (...wish: C) => Promise<T>) {
  const item = shallowRef<T | null>(null)
  const isOpen = ref(false)
  const loading = new Loading(now)

  const read = async (): Promise<void> => void (item.value = await ask())
  const load = (): Promise<void> => (isOpen.value ? loading.run('entries', read) : Promise.resolve())

  function open(): Promise<void> {
    isOpen.value = true
    return load()
  }

  function close(): void {
    isOpen.value = false
  }

  async function save(...wish: C): Promise<T> {
    const answer = await change(...wish)
    item.value = answer
    loading.succeeded()
    return answer
  }

  return { item, state: loading.state, open, close, load, save }
}
