import { onBeforeUnmount, ref, shallowRef, watch, type Ref } from 'vue'

import { forecastApi, type Preview } from '@/api/forecast'
import type { Problem } from '@/api/problems'
import { CallAborted, CallFailed } from '@/api/request'
import type { TaskCreate } from '@/api/tasks'

import { check, requestOf, type TaskForm } from './taskForm'

export const PREVIEW_PAUSE_MS = 500
/** GPUs become free or are taken while a form is open. */
export const PREVIEW_REFRESH_MS = 10_000

const REFUSALS: ReadonlySet<number> = new Set([400, 422])
const UNSUPPORTED: ReadonlySet<number> = new Set([404, 405])
/** What the name is does not decide where a task starts, so the preview does not wait for it. */
const NO_NAME = '-'

/** The request that a form stands for; null while it is not complete. */
export function previewRequest(form: TaskForm): TaskCreate | null {
  const named = form.name.trim() === '' ? { ...form, name: NO_NAME } : form
  if (Object.keys(check(named)).length > 0) return null
  // Values of the environment are secret and decide nothing here.
  const { env: _env, ...request } = requestOf(named)
  return request
}

/**
 * What would happen to the task of a form if it were submitted now, asked again while the user types. It never stands in
 * the way of a submission: if the server cannot say, there is no preview.
 */
export function usePreview(form: Ref<TaskForm>) {
  const preview = shallowRef<Preview | null>(null)
  const refused = shallowRef<Problem | null>(null)
  const isChecking = ref(false)
  let isUnsupported = false
  let end = new AbortController()
  let pause: ReturnType<typeof setTimeout> | undefined

  function clear(): void {
    preview.value = null
    refused.value = null
    isChecking.value = false
  }

  async function ask(request: TaskCreate): Promise<void> {
    end.abort()
    end = new AbortController()
    const { signal } = end
    isChecking.value = true
    try {
      const answer = await forecastApi.preview(request, signal)
      if (signal.aborted) return
      preview.value = answer
      refused.value = null
    } catch (failure) {
      if (failure instanceof CallAborted) return
      if (!(failure instanceof CallFailed)) throw failure
      clear()
      isUnsupported = UNSUPPORTED.has(failure.status)
      if (REFUSALS.has(failure.status)) refused.value = failure.problem
    }
    isChecking.value = false
  }

  function askSoon(): void {
    clearTimeout(pause)
    end.abort()
    const request = isUnsupported ? null : previewRequest(form.value)
    if (request === null) return clear()
    pause = setTimeout(() => void ask(request), PREVIEW_PAUSE_MS)
  }

  watch(() => JSON.stringify(previewRequest(form.value)), askSoon, { immediate: true })
  const timer = setInterval(() => {
    const request = isUnsupported || document.hidden || isChecking.value ? null : previewRequest(form.value)
    if (request !== null && (preview.value ?? refused.value) !== null) void ask(request)
  }, PREVIEW_REFRESH_MS)
  onBeforeUnmount(() => {
    clearTimeout(pause)
    clearInterval(timer)
    end.abort()
  })

  return { preview, refused, isChecking }
}
