import { reactive } from 'vue'

import { CallFailed } from '@/api/request'

export interface LoadState {
  isLoading: boolean
  failure: CallFailed | null
  updatedAt: number | null
}

/** Loads one thing, one call at a time; a failure is told and leaves what was there. */
export class Loading {
  readonly state: LoadState = reactive({ isLoading: false, failure: null, updatedAt: null })
  private running: Promise<void> | null = null
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  run(task: () => Promise<void>): Promise<void> {
    this.running ??= this.once(task).finally(() => {
      this.running = null
    })
    return this.running
  }

  succeeded(): void {
    this.state.failure = null
    this.state.updatedAt = this.now()
  }

  private async once(task: () => Promise<void>): Promise<void> {
    this.state.isLoading = true
    try {
      await task()
      this.succeeded()
    } catch (failure) {
      if (!(failure instanceof CallFailed)) throw failure
      this.state.failure = failure
    } finally {
      this.state.isLoading = false
    }
  }
}
