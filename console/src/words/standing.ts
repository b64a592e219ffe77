import { useI18n } from 'vue-i18n'

import type { Card, CardHolder } from '@/api/wire'
import { visible } from '@/log/marks'

import { foreignUsers } from './loads'
import { useSpeech } from './speech'

/** Who has a card; an old server tells their numbers only. */
export const holdersOf = (card: Card): CardHolder[] => card.holders ?? card.task_ids.map((id) => ({ task_id: id, name: '', owner: '', since: '' }))

/** One sentence that says how a card stands. */
export function useStanding() {
  const { t } = useI18n()
  const { since, lasted } = useSpeech()

  return function standing(card: Card): string {
    const why = visible(card.why ?? t('cards.noWhy'))
    if (card.status === 'unknown') return t('cards.unknownWhy', { why })
    if (card.status === 'error') return t('cards.errorWhy', { why })
    const holders = holdersOf(card)
    const first = holders[0]
    if (holders.length > 1) return t('cards.sharedBy', { count: holders.length })
    if (first?.since) return t('cards.heldBy', { owner: visible(first.owner), length: lasted(first.since, null) })
    const users = foreignUsers(card)
    if (users.length > 0) return t('cards.foreignBy', { users: users.map((user) => (user === null ? t('cards.someone') : visible(user))).join(', ') })
    if (card.status === 'busy') return first ? `${t('cards.task')} #${first.task_id}` : t('cards.memoryInUse')
    return card.released_at ? t('cards.freeSince', { ago: since(card.released_at) }) : t('cards.freeNow')
  }
}
