import { reactive } from 'vue'

import { CallAborted, CallFailed } from '@/api/request'

export interface LoadState {
  isLoading: boolean
  failure: CallFailed | null
  updatedAt: number | null
}

interface Job {
  key: string
  work: () => Promise<void>
  done: Promise<void>
  settle: (outcome: Promise<void>) => void
}

/**
 * Runs the loads of one resource, one at a time. Callers with the same key share a load, other loads
 * wait in order. A failed load leaves the last data in place; an aborted one changes nothing.
 */
export class Loader {
  readonly state: LoadState = reactive({ isLoading: false, failure: null, updatedAt: null })
  private running: Job | null = null
  private readonly waiting: Job[] = []

  /** Joins the running load if its key is the same. */
  run(key: string, work: () => Promise<void>): Promise<void> {
    return this.running?.key === key ? this.running.done : this.runAgain(key, work)
  }

  /** For callers that know of newer data: the answer of a running load may be older than that. */
  runAgain(key: string, work: () => Promise<void>): Promise<void> {
    const same = this.waiting.find((job) => job.key === key)
    if (same !== undefined) return same.done
    let settle: Job['settle'] = () => undefined
    const done = new Promise<void>((resolve) => (settle = resolve))
    this.waiting.push({ key, work, done, settle })
    if (this.running === null) this.next()
    return done
  }

  succeeded(): void {
    this.state.failure = null
    this.state.updatedAt = Date.now()
  }

  failed(failure: CallFailed): void {
    this.state.failure = failure
  }

  private next(): void {
    const job = this.waiting.shift() ?? null
    this.running = job
    this.state.isLoading = job !== null
    job?.settle(this.once(job.work).finally(() => this.next()))
  }

  private async once(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.succeeded()
    } catch (failure) {
      if (failure instanceof CallAborted) return
      if (!(failure instanceof CallFailed)) throw failure
      this.failed(failure)
    }
  }
}
