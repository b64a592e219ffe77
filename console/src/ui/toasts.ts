import { ref } from 'vue'

export interface Toast {
  id: number
  text: string
  tone: 'plain' | 'bad'
}

const LIFE_MS = 5_000
const MOST = 4
let next = 1

export const toasts = ref<Toast[]>([])

/** Shows a short message. An error message stays until it is dismissed. */
export function toast(text: string, tone: Toast['tone'] = 'plain'): void {
  const id = next++
  toasts.value = [...toasts.value, { id, text, tone }].slice(-MOST)
  if (tone === 'plain') setTimeout(() => dismiss(id), LIFE_MS)
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id)
}
