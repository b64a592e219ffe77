import { readonly, ref } from 'vue'

const current = ref(Date.now())
let timer: ReturnType<typeof setInterval> | undefined

/** The current time in steps of a second, for "3 s ago". It stops while the page is hidden. */
export const clock = readonly(current)

export function startClock(): void {
  stopClock()
  current.value = Date.now()
  timer = setInterval(() => (current.value = Date.now()), 1000)
}

export function stopClock(): void {
  clearInterval(timer)
}
