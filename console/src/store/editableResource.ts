import { ref, shallowRef } from 'vue'

import { Loader } from './loader'

/** State of a store with values that an admin can change. They are loaded only while a page shows them. */
export function editableResource<T, C extends unknown[]>(fetchItem: () => Promise<T>, change: (...request: C) => Promise<T>) {
  const item = shallowRef<T | null>(null)
  const isOpen = ref(false)
  const loader = new Loader()

  const read = async (): Promise<void> => void (item.value = await fetchItem())
  const load = (): Promise<void> => (isOpen.value ? loader.run('item', read) : Promise.resolve())

  function open(): Promise<void> {
    isOpen.value = true
    return load()
  }

  function close(): void {
    isOpen.value = false
  }

  async function save(...request: C): Promise<T> {
    const answer = await change(...request)
    item.value = answer
    loader.succeeded()
    return answer
  }

  return { item, state: loader.state, open, close, load, save }
}
