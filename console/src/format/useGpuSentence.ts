import { useI18n } from 'vue-i18n'

import type { Gpu, GpuHolder } from '@/api/gpus'
import { visible } from '@/log/invisible'

import { foreignUsers } from './gpuUse'
import { useFormat } from './useFormat'

/** The tasks that hold a GPU. An old server sends their ids only. */
export const holdersOf = (gpu: Gpu): GpuHolder[] => gpu.holders ?? gpu.task_ids.map((id) => ({ task_id: id, name: '', owner: '', since: '' }))

/** A GPU of a cluster. A machine with its own GPUs is the node `local`. */
const isOfCluster = (gpu: Gpu): boolean => gpu.node !== undefined && gpu.node !== 'local'

/** The name of its node, where several machines have GPUs with the same number. */
export const nodePrefix = (gpu: Gpu): string => (isOfCluster(gpu) ? `${visible(gpu.node ?? '')} ` : '')

/** What stands for a value that is not known: a cluster reports none. */
export function useMissing() {
  const { t } = useI18n()
  return (gpu: Gpu): string => (isOfCluster(gpu) ? t('gpus.unreported') : t('gpus.unreadable'))
}

/** One sentence about the state of a GPU. */
export function useGpuSentence() {
  const { t } = useI18n()
  const { since, lasted } = useFormat()

  return function gpuSentence(gpu: Gpu): string {
    const why = visible(gpu.why ?? t('gpus.noWhy'))
    if (gpu.status === 'unknown') return t('gpus.unknownWhy', { why })
    if (gpu.fault?.kind === 'person') return t('gpus.outWhy', { why })
    if (gpu.status === 'error') return t('gpus.errorWhy', { why })
    const holders = holdersOf(gpu)
    const first = holders[0]
    if (holders.length > 1) return t('gpus.sharedBy', { count: holders.length })
    if (first?.since) return t('gpus.heldBy', { owner: visible(first.owner), length: lasted(first.since, null) })
    const users = foreignUsers(gpu)
    if (users.length > 0) return t('gpus.foreignBy', { users: users.map((user) => (user === null ? t('gpus.someone') : visible(user))).join(', ') })
    if (gpu.status === 'busy') return first ? `${t('gpus.task')} #${first.task_id}` : t('gpus.memoryInUse')
    return gpu.released_at ? t('gpus.freeSince', { ago: since(gpu.released_at) }) : t('gpus.freeNow')
  }
}
