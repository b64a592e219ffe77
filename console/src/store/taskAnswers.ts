import { defineStore } from 'pinia'

/** True if an event about the task arrived after the request was sent: the event is newer than the answer. */
export type IsOutdated = (id: number) => boolean

/**
 * Compares answers about tasks with events that arrived while the request was on its way. It remembers
 * the changed tasks of each open request, and nothing else.
 */
export const useTaskAnswers = defineStore('taskAnswers', () => {
  const openRequests = new Set<Set<number>>()

  function markChanged(id: number): void {
    for (const changed of openRequests) changed.add(id)
  }

  async function request<T>(send: () => Promise<T>, take: (answer: T, isOutdated: IsOutdated) => void): Promise<T> {
    const changed = new Set<number>()
    openRequests.add(changed)
    try {
      const answer = await send()
      take(answer, (id) => changed.has(id))
      return answer
    } finally {
      openRequests.delete(changed)
    }
  }

  return { markChanged, request }
})
