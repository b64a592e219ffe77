import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import type { LogEvent } from '@/api/events'
import { CallFailed } from '@/api/request'
import { taskLogApi, type LogKey } from '@/api/taskLog'
import { LogBuffer } from '@/log/buffer'
import type { FollowedLog } from '@/stream/eventStream'

import { Loader } from './loader'

/** A limit per load: a log that grows faster is continued by the next load. */
const MAX_READS = 20

/** The status of the answer if the log was deleted. */
const GONE = 410

/**
 * A part of the open log. At the end of the log the event stream appends to it; elsewhere more lines are
 * loaded as the reader moves.
 */
export const useLogStore = defineStore('log', () => {
  const id = ref<number | null>(null)
  /** The attempt that the reader chose; null: the latest, also if a new one starts. */
  const chosen = ref<number | null>(null)
  /** Also shows what Berth writes before and after the task's own output. */
  const hasBanners = ref(false)
  const buffer = shallowRef(new LogBuffer())
  const version = ref(0)
  const isAtStart = ref(true)
  const isAtEnd = ref(true)
  /** What the event stream should send, and from which offset. */
  const followed = shallowRef<FollowedLog | null>(null)
  let attempt: number | null = null
  let offset = 0
  /** Where the shown part of the log file begins. */
  let begin = 0
  // Lines that the stream sends during a load are ignored: afterwards the stream is opened again at the new offset.
  let isReading = false
  let loader = new Loader()
  const state = shallowRef(loader.state)
  const isGone = computed(() => state.value.failure?.status === GONE)

  const key = (): LogKey | null => (id.value === null ? null : { id: id.value, attempt: chosen.value, banner: hasBanners.value })
  const isOpen = (log: LogKey): boolean => log.id === id.value && log.attempt === chosen.value && log.banner === hasBanners.value

  async function open(next: number, nextAttempt: number | null = null): Promise<void> {
    id.value = next
    chosen.value = nextAttempt
    buffer.value = new LogBuffer()
    loader = new Loader()
    state.value = loader.state
    isAtStart.value = true
    isAtEnd.value = true
    attempt = null
    offset = 0
    begin = 0
    followed.value = null
    version.value++
    await reload()
  }

  async function showBanners(isShown: boolean): Promise<void> {
    hasBanners.value = isShown
    if (id.value !== null) await open(id.value, chosen.value)
  }

  function close(): void {
    id.value = null
    followed.value = null
  }

  /** Runs a load, unless another log was opened meanwhile. */
  function reading(name: string, work: (log: LogKey) => Promise<void>): Promise<void> {
    const log = key()
    if (log === null) return Promise.resolve()
    return loader.run(name, async () => {
      isReading = true
      try {
        await work(log)
      } finally {
        isReading = false
      }
      if (isOpen(log)) followed.value = isAtEnd.value && log.attempt === null ? { id: log.id, from: offset, banner: log.banner } : null
    })
  }

  /** Loads up to the end of the log, then follows it. */
  const reload = (): Promise<void> => reading('to end', (log) => (offset === 0 || !isAtEnd.value ? restart(log) : readFurther(log)))

  async function restart(log: LogKey): Promise<void> {
    const end = await taskLogApi.end(log)
    if (!isOpen(log)) return
    buffer.value.clear()
    buffer.value.append(end.lines, end.partial, end.start)
    isAtEnd.value = true
    begin = end.begin_offset
    moved(end.next_offset)
  }

  async function readFurther(log: LogKey): Promise<void> {
    for (let reads = 0; reads < MAX_READS; reads++) {
      const part = await taskLogApi.from(log, offset)
      if (!isOpen(log)) return
      // A shorter log belongs to another attempt, or the task began it again.
      if (part.size < offset) return restart(log)
      append(part.lines, part.partial, part.next_offset)
      if (part.partial || part.next_offset >= part.end_offset || part.lines.length === 0) {
        isAtEnd.value = true
        return
      }
    }
  }

  const poll = (): Promise<void> => {
    const log = key()
    return log === null || !isAtEnd.value || log.attempt !== null ? Promise.resolve() : loader.run('further', () => readFurther(log))
  }

  /** Loads the lines before the first one. */
  const loadEarlier = (): Promise<void> =>
    reading('earlier', async (log) => {
      const start = buffer.value.startOffset
      if (start === null || start <= begin) return
      const part = await taskLogApi.before(log, start)
      if (!isOpen(log) || buffer.value.startOffset !== start) return
      const droppedAt = buffer.value.prepend(part.lines, part.start)
      if (droppedAt !== null) isAtEnd.value = false
      begin = part.begin_offset
      moved(droppedAt ?? offset)
    })

  /** Loads the lines after the last one. */
  const loadLater = (): Promise<void> => reading('later', (log) => (isAtEnd.value ? Promise.resolve() : readOnce(log)))

  async function readOnce(log: LogKey): Promise<void> {
    const part = await taskLogApi.from(log, offset)
    if (!isOpen(log)) return
    append(part.lines, part.partial, part.next_offset)
    isAtEnd.value = part.partial || part.next_offset >= part.end_offset
  }

  /** Shows the lines around an offset at which a line begins. Returns the number of that line. */
  async function jumpTo(place: number): Promise<number | null> {
    let line: number | null = null
    await reading(`jump ${place}`, async (log) => {
      const [before, after] = await Promise.all([taskLogApi.before(log, place), taskLogApi.from(log, place)])
      if (!isOpen(log)) return
      buffer.value.clear()
      buffer.value.append(before.lines, false, before.start)
      line = buffer.value.end
      buffer.value.append(after.lines, after.partial, after.start)
      isAtEnd.value = after.partial || after.next_offset >= after.end_offset
      begin = after.begin_offset
      moved(after.next_offset)
    })
    return line
  }

  function take(event: LogEvent): void {
    if (event.task_id !== id.value || isReading || !isAtEnd.value || chosen.value !== null) return
    // The answer to a request says so in the language of the page.
    if (event.gone) return void reload()
    if (event.error != null) return unreadable(event.error)
    const isNewLog = event.next_offset < offset && event.lines.length === 0 && !event.ended
    if (isNewLog || (attempt !== null && event.attempt !== attempt)) {
      buffer.value.clear()
      offset = 0
    }
    attempt = event.attempt
    append(event.lines, event.partial, event.next_offset)
    loader.succeeded()
  }

  // Lines and offset stay, so that reading can continue.
  function unreadable(detail: string): void {
    loader.failed(new CallFailed({ detail, code: '', field: null, params: {} }, 500))
  }

  function append(lines: string[], isPartial: boolean, nextOffset: number): void {
    buffer.value.append(lines, isPartial, offset)
    if (lines.length > 0) moved(nextOffset)
    else offset = nextOffset
  }

  function moved(nextOffset: number): void {
    offset = nextOffset
    isAtStart.value = (buffer.value.startOffset ?? 0) <= begin
    version.value++
  }

  return { id, chosen, hasBanners, buffer, version, isAtStart, isAtEnd, followed, state: computed(() => state.value), isGone, key, isOpen, offset: () => offset, open, showBanners, close, reload, poll, loadEarlier, loadLater, jumpTo, take }
})
