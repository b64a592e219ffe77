import { reactive } from 'vue'

import { CallFailed } from '@/api/request'

export interface LoadState {
  isLoading: boolean
  failure: CallFailed | null
  updatedAt: number | null
}

interface Work {
  key: string
  task: () => Promise<void>
  done: Promise<void>
  settle: (outcome: Promise<void>) => void
}

/**
 * Loads one thing, one call at a time. Work of the same key is done once for all who ask, other work
 * waits for its turn; a failure is told and leaves what was there.
 */
export class Loading {
  readonly state: LoadState = reactive({ isLoading: false, failure: null, updatedAt: null })
  private running: Work | null = null
  private readonly waiting: Work[] = []
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  run(key: string, task: () => Promise<void>): Promise<void> {
    return this.running?.key === key ? this.running.done : this.runAnew(key, task)
  }

  /** For who knows of something newer: what runs already was asked before that. */
  runAnew(key: string, task: () => Promise<void>): Promise<void> {
    const same = this.waiting.find((work) => work.key === key)
    if (same !== undefined) return same.done
    let settle: Work['settle'] = () => undefined
    const done = new Promise<void>((resolve) => (settle = resolve))
    this.waiting.push({ key, task, done, settle })
    if (this.running === null) this.next()
    return done
  }

  succeeded(): void {
    this.state.failure = null
    this.state.updatedAt = this.now()
  }

  failed(failure: CallFailed): void {
    this.state.failure = failure
  }

  private next(): void {
    const work = this.waiting.shift() ?? null
    this.running = work
    this.state.isLoading = work !== null
    work?.settle(this.once(work.task).finally(() => this.next()))
  }

  private async once(task: () => Promise<void>): Promise<void> {
    try {
      await task()
      this.succeeded()
    } catch (failure) {
      if (!(failure instanceof CallFailed)) throw failure
      this.failed(failure)
    }
  }
}
