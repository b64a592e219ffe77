import { readonly, ref } from 'vue'

const current = ref(Date.now())
let timer: ReturnType<typeof setInterval> | undefined

/** The present second, for "3 s ago". It stands still while nobody looks. */
export const clock = readonly(current)

export function startClock(): void {
  stopClock()
  current.value = Date.now()
  timer = setInterval(() => (current.value = Date.now()), 1000)
}

export function stopClock(): void {
  clearInterval(timer)
}
