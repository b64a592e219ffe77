import { computed, ref, shallowRef } from 'vue'

import { berth } from '@/api/berth'
import { CallFailed } from '@/api/request'
import type { LogEvent } from '@/api/events'
import type { TaskLog } from '@/api/wire'
import { LogBuffer } from '@/log/buffer'

import { Loading } from './loading'

const FIRST_LINES = 5_000
const LAST_LINE_BYTES = 8_192
/** A log that grows faster than this is read on in the next round. */
const MOST_READS = 20

/** The log that is open, read once from its end and then on. */
export function logPart(now: () => number, follow: (log: { id: number; from: number } | null) => void) {
  const id = ref<number | null>(null)
  const buffer = shallowRef(new LogBuffer())
  const version = ref(0)
  const isTruncated = ref(false)
  let attempt: number | null = null
  let offset = 0
  // What the stream sends while the log is read by hand is sent again when it is opened anew.
  let isReading = false
  let loading = new Loading(now)
  const state = shallowRef(loading.state)

  async function open(next: number): Promise<void> {
    id.value = next
    buffer.value = new LogBuffer()
    loading = new Loading(now)
    state.value = loading.state
    isTruncated.value = false
    attempt = null
    offset = 0
    await reload()
  }

  function close(): void {
    id.value = null
    follow(null)
  }

  /** At once, to its end; what comes after it comes by itself. */
  function reload(): Promise<void> {
    const wanted = id.value
    if (wanted === null) return Promise.resolve()
    return loading.run('to the end', async () => {
      isReading = true
      try {
        if (offset === 0) await restart(wanted)
        else await readOn(wanted)
      } finally {
        isReading = false
      }
      if (id.value === wanted) follow({ id: wanted, from: offset })
    })
  }

  async function restart(wanted: number): Promise<void> {
    const tail: TaskLog = await berth.logTail(wanted, FIRST_LINES)
    if (id.value !== wanted) return
    const begin = await lastLineBegins(wanted, tail.next_offset)
    if (id.value !== wanted) return
    buffer.value.clear()
    buffer.value.append(tail.lines, begin < tail.next_offset)
    isTruncated.value = tail.truncated
    offset = begin
    version.value++
  }

  /**
   * The end of a log may be in the middle of a line, which grows or is drawn again. Whole lines end
   * where that one begins, so it can be read again from there.
   */
  async function lastLineBegins(wanted: number, end: number): Promise<number> {
    const from = Math.max(0, end - LAST_LINE_BYTES)
    if (end === 0) return 0
    const whole = await berth.logFrom(wanted, from, false)
    const isFound = whole.next_offset < end && (whole.next_offset > from || from === 0)
    return isFound ? whole.next_offset : end
  }

  async function readOn(wanted: number): Promise<void> {
    for (let reads = 0; reads < MOST_READS; reads++) {
      const piece = await berth.logFrom(wanted, offset, false)
      if (id.value !== wanted || piece.next_offset === offset) return
      // Shorter than it was: it is the log of another attempt.
      if (piece.next_offset < offset) return restart(wanted)
      append(piece.lines, false, piece.next_offset)
    }
  }

  const poll = (): Promise<void> => {
    const wanted = id.value
    return wanted === null ? Promise.resolve() : loading.run('on', () => readOn(wanted))
  }

  function take(event: LogEvent): void {
    if (event.task_id !== id.value || isReading) return
    if (event.error != null) return unreadable(event.error)
    const isAnew = event.next_offset < offset && event.lines.length === 0 && !event.ended
    if (isAnew || (attempt !== null && event.attempt !== attempt)) buffer.value.clear()
    attempt = event.attempt
    append(event.lines, event.partial, event.next_offset)
    loading.succeeded()
  }

  // What was read so far stays, and so does the place to read on from.
  function unreadable(detail: string): void {
    loading.failed(new CallFailed({ detail, code: '', field: null, params: {} }, 500))
  }

  function append(lines: string[], isPartial: boolean, nextOffset: number): void {
    offset = nextOffset
    if (lines.length === 0) return
    buffer.value.append(lines, isPartial)
    version.value++
  }

  return { id, buffer, version, isTruncated, state: computed(() => state.value), offset: () => offset, open, close, reload, poll, take }
}
