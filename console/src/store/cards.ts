import { ref, shallowRef } from 'vue'

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

  const load = (): Promise<void> => loading.run('cards', async () => take(await berth.cards()))

  return { items, isKnown, history, state: loading.state, take, load }
}
