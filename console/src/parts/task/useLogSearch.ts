import { computed, onBeforeUnmount, ref, shallowRef, watch, type Ref } from 'vue'

import { CallFailed } from '@/api/request'
import { taskLogApi, type LogMatches, type LogMatch } from '@/api/taskLog'
import { LogSearch } from '@/log/search'
import { useLogStore } from '@/store/log'

const TYPING_MS = 250
const END = Number.MAX_SAFE_INTEGER

/**
 * Searches the open log. A log that is loaded completely is searched here, and matches follow as it grows;
 * any other one is searched by the server, to its ends.
 *
 * @param show scrolls to a line of the buffer
 */
export function useLogSearch(text: Ref<string>, show: (line: number) => void) {
  const log = useLogStore()
  const local = shallowRef(new LogSearch(''))
  const found = shallowRef<LogMatches | null>(null)
  const place = shallowRef<LogMatch | null>(null)
  const current = ref(-1)
  const isSearching = ref(false)
  const failure = shallowRef<CallFailed | null>(null)
  let typing: ReturnType<typeof setTimeout> | undefined

  const isWhole = computed(() => log.isAtStart && log.isAtEnd)
  const lines = computed(() => (log.version >= 0 && isWhole.value && found.value === null ? [...local.value.matches(log.buffer)] : []))
  const total = computed(() => found.value?.total ?? lines.value.length)
  const at = computed(() => {
    if (found.value === null) return lines.value.indexOf(current.value)
    return place.value === null ? -1 : found.value.first + found.value.matches.indexOf(place.value)
  })

  function clear(): void {
    clearTimeout(typing)
    found.value = null
    place.value = null
    current.value = -1
    failure.value = null
  }

  /** Searches the text from the end of the log that is open now. */
  function restart(): void {
    clear()
    local.value = new LogSearch(text.value)
    void jump(-1)
  }

  watch(text, () => {
    clear()
    typing = setTimeout(restart, TYPING_MS)
  })
  onBeforeUnmount(() => clearTimeout(typing))

  /** Goes to the next (1) or the previous (-1) match; around the ends of the log. */
  async function jump(step: 1 | -1): Promise<void> {
    if (text.value === '') return
    if (isWhole.value && found.value === null) return jumpHere(step)
    const next = await neighbour(step)
    if (next === null) return
    place.value = next
    const line = await log.jumpTo(next.offset)
    if (line === null || place.value !== next) return
    current.value = line
    show(line)
  }

  function jumpHere(step: 1 | -1): void {
    const all = lines.value
    if (all.length === 0) return
    const from = at.value < 0 ? (step > 0 ? -1 : 0) : at.value
    current.value = all[(from + step + all.length) % all.length]!
    show(current.value)
  }

  async function neighbour(step: 1 | -1): Promise<LogMatch | null> {
    const now = place.value
    if (now !== null) {
      const loaded = found.value?.matches ?? []
      const next = loaded[loaded.indexOf(now) + step]
      if (next !== undefined) return next
      const further = await search(step > 0 ? { from: now.offset + 1 } : { before: now.offset })
      if (further !== null) return further
    }
    return search(step > 0 ? { from: 0 } : { before: END })
  }

  async function search(where: { from: number } | { before: number }): Promise<LogMatch | null> {
    const key = log.key()
    const wanted = text.value
    if (key === null) return null
    isSearching.value = true
    try {
      const answer = await taskLogApi.search(key, wanted, where)
      if (text.value !== wanted || !log.isOpen(key)) return null
      failure.value = null
      if (answer.matches.length > 0 || found.value === null) found.value = answer
      return ('from' in where ? answer.matches[0] : answer.matches.at(-1)) ?? null
    } catch (refused) {
      if (!(refused instanceof CallFailed)) throw refused
      failure.value = refused
      return null
    } finally {
      isSearching.value = false
    }
  }

  return { at, total, current, place, isSearching, failure, jump, clear, restart }
}
