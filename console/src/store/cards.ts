import { computed, ref, shallowRef } from 'vue'

import { berth } from '@/api/berth'
import type { Card } from '@/api/wire'

import { Loading } from './loading'

export interface Sample {
  at: number
  percent: number
}

const HISTORY_MS = 120_000
const MOST_SAMPLES = 150

/** The cards, and how busy each has been for the last two minutes. */
export function cardsPart(now: () => number) {
  const items = shallowRef<Card[]>([])
  const isKnown = ref(false)
  const history = shallowRef<ReadonlyMap<string, Sample[]>>(new Map())
  const loading = new Loading(now)

  function take(cards: Card[]): void {
    items.value = cards
    isKnown.value = true
    loading.succeeded()
    remember(cards)
  }

  function remember(cards: Card[]): void {
    const at = now()
    const next = new Map<string, Sample[]>()
    for (const card of cards) {
      const kept = (history.value.get(card.uuid) ?? []).filter((sample) => sample.at > at - HISTORY_MS)
      if (card.utilization_percent !== null) kept.push({ at, percent: card.utilization_percent })
      next.set(card.uuid, kept.slice(-MOST_SAMPLES))
    }
    history.value = next
  }

  /** The answer to an act tells at once what the next reading will. It may come without what a reading adds. */
  function takeOne(card: Card): void {
    items.value = items.value.map((one) => (one.index === card.index ? { ...one, ...card, processes: card.processes ?? one.processes ?? null, holders: card.holders ?? one.holders ?? null } : one))
  }

  /** Cards that failed and are not back; what a person took out is no failure. */
  const faulty = computed(() => items.value.filter((card) => card.fault && card.fault.kind !== 'person').length)

  const load = (): Promise<void> => loading.run('cards', async () => take(await berth.cards()))

  return { items, isKnown, history, faulty, state: loading.state, take, takeOne, load }
}
