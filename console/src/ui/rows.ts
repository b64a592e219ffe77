import { computed, onBeforeUnmount, onMounted, ref, type Ref } from 'vue'

/** Short lists are drawn completely, so that the browser's search and screen readers find every row. */
const WHOLE = 150
const SPARE = 12

export interface Rows {
  from: number
  to: number
  above: number
  below: number
}

/** Which of many rows of equal height are in or near the viewport. */
export function rowsIn(count: number, height: number, top: number, view: number): Rows {
  if (count <= WHOLE) return { from: 0, to: count, above: 0, below: 0 }
  const from = Math.min(Math.max(0, Math.floor(-top / height) - SPARE), count)
  const to = Math.max(from, Math.min(count, Math.ceil((view - top) / height) + SPARE))
  return { from, to, above: from * height, below: (count - to) * height }
}

/** Follows the scroll position of the page. `body` contains the rows. */
export function useRows(count: Ref<number>, body: Ref<HTMLElement | undefined>, height: () => number) {
  const top = ref(0)
  const view = ref(0)
  const measure = (): void => {
    top.value = body.value?.getBoundingClientRect().top ?? 0
    view.value = window.innerHeight
  }
  onMounted(() => {
    measure()
    window.addEventListener('scroll', measure, { passive: true })
    window.addEventListener('resize', measure, { passive: true })
  })
  onBeforeUnmount(() => {
    window.removeEventListener('scroll', measure)
    window.removeEventListener('resize', measure)
  })
  return { rows: computed(() => rowsIn(count.value, height(), top.value, view.value)), isNearEnd: computed(() => top.value + count.value * height() < view.value * 2) }
}
