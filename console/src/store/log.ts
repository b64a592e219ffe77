import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'

import type { LogEvent } from '@/api/events'
import { CallFailed } from '@/api/request'
import { taskLogApi } from '@/api/taskLog'
import { LogBuffer } from '@/log/buffer'
import type { FollowedLog } from '@/stream/eventStream'

import { Loader } from './loader'

const FIRST_LINES = 5_000
const LAST_LINE_BYTES = 8_192
/** A limit per load: a log that grows faster is continued by the next load. */
const MAX_READS = 20

/** The open log: its last lines are loaded once, then the event stream appends to it. */
export const useLogStore = defineStore('log', () => {
  const id = ref<number | null>(null)
  const buffer = shallowRef(new LogBuffer())
  const version = ref(0)
  const isTruncated = ref(false)
  /** What the event stream should send, and from which offset. */
  const followed = shallowRef<FollowedLog | null>(null)
  let attempt: number | null = null
  let offset = 0
  // Lines that the stream sends during a load are ignored: afterwards the stream is opened again at the new offset.
  let isReading = false
  let loader = new Loader()
  const state = shallowRef(loader.state)

  async function open(next: number): Promise<void> {
    id.value = next
    buffer.value = new LogBuffer()
    loader = new Loader()
    state.value = loader.state
    isTruncated.value = false
    attempt = null
    offset = 0
    await reload()
  }

  function close(): void {
    id.value = null
    followed.value = null
  }

  /** Loads up to the end of the log, then follows it. */
  function reload(): Promise<void> {
    const wanted = id.value
    if (wanted === null) return Promise.resolve()
    return loader.run('to end', async () => {
      isReading = true
      try {
        if (offset === 0) await restart(wanted)
        else await readFurther(wanted)
      } finally {
        isReading = false
      }
      if (id.value === wanted) followed.value = { id: wanted, from: offset }
    })
  }

  async function restart(wanted: number): Promise<void> {
    const tail = await taskLogApi.tail(wanted, FIRST_LINES)
    if (id.value !== wanted) return
    const start = await lastLineStart(wanted, tail.next_offset)
    if (id.value !== wanted) return
    buffer.value.clear()
    buffer.value.append(tail.lines, start < tail.next_offset)
    isTruncated.value = tail.truncated
    offset = start
    version.value++
  }

  /**
   * The log may end within a line that still grows, like a progress bar. A read of complete lines ends
   * where that line starts, so the line can be read again from there.
   */
  async function lastLineStart(wanted: number, end: number): Promise<number> {
    const from = Math.max(0, end - LAST_LINE_BYTES)
    if (end === 0) return 0
    const whole = await taskLogApi.from(wanted, from, false)
    const isFound = whole.next_offset < end && (whole.next_offset > from || from === 0)
    return isFound ? whole.next_offset : end
  }

  async function readFurther(wanted: number): Promise<void> {
    for (let reads = 0; reads < MAX_READS; reads++) {
      const piece = await taskLogApi.from(wanted, offset, false)
      if (id.value !== wanted || piece.next_offset === offset) return
      // A shorter log belongs to another attempt.
      if (piece.next_offset < offset) return restart(wanted)
      append(piece.lines, false, piece.next_offset)
    }
  }

  const poll = (): Promise<void> => {
    const wanted = id.value
    return wanted === null ? Promise.resolve() : loader.run('further', () => readFurther(wanted))
  }

  function take(event: LogEvent): void {
    if (event.task_id !== id.value || isReading) return
    if (event.error != null) return unreadable(event.error)
    const isNewLog = event.next_offset < offset && event.lines.length === 0 && !event.ended
    if (isNewLog || (attempt !== null && event.attempt !== attempt)) buffer.value.clear()
    attempt = event.attempt
    append(event.lines, event.partial, event.next_offset)
    loader.succeeded()
  }

  // Lines and offset stay, so that reading can continue.
  function unreadable(detail: string): void {
    loader.failed(new CallFailed({ detail, code: '', field: null, params: {} }, 500))
  }

  function append(lines: string[], isPartial: boolean, nextOffset: number): void {
    offset = nextOffset
    if (lines.length === 0) return
    buffer.value.append(lines, isPartial)
    version.value++
  }

  return { id, buffer, version, isTruncated, followed, state: computed(() => state.value), offset: () => offset, open, close, reload, poll, take }
})
