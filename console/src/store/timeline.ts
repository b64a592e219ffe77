import { defineStore } from 'pinia'

import { timelineOf } from '@/api/timeline'
import type { Range } from '@/timeline/view'

import { throttle } from './throttle'
import { viewedResource } from './viewedResource'

export const TIMELINE_PAUSE_MS = 2_000

/** The runs of the GPUs over time. */
export const useTimelineStore = defineStore('timeline', () => {
  const resource = viewedResource(({ from, to }: Range) => timelineOf(from, to))
  const reloadThrottled = throttle(() => void resource.load(), TIMELINE_PAUSE_MS)

  /** Called when a task has changed. */
  function reloadSoon(): void {
    if (resource.item.value !== null) reloadThrottled()
  }

  return { ...resource, reloadSoon }
})
