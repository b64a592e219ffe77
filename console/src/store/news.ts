/**
 * What was heard of tasks while a question about them was on its way: an answer that was asked for
 * before is older than that. It remembers only as long as a question is open.
 */
export class News {
  private readonly open = new Set<Set<number>>()

  came(id: number): void {
    for (const heard of this.open) heard.add(id)
  }

  async ask<T>(question: () => Promise<T>, take: (answer: T, isOutdated: (id: number) => boolean) => void): Promise<T> {
    const heard = new Set<number>()
    this.open.add(heard)
    try {
      const answer = await question()
      take(answer, (id) => heard.has(id))
      return answer
    } finally {
      this.open.delete(heard)
    }
  }
}
