import type { NodeInfo } from '@/api/nodes'
import type { Tone } from '@/ui/Pill.vue'

/** The states with a text of their own; of a compound one like `mixed+drain` the first of these counts. */
export const NODE_STATES = ['up', 'down', 'drained', 'draining', 'fail', 'maint', 'reserved', 'power', 'unknown', 'allocated', 'mixed', 'completing', 'idle'] as const
export type NodeState = (typeof NODE_STATES)[number]

/** How Slurm writes them, the more important ones first. A star means that the node does not answer. */
const WRITTEN: readonly (readonly [RegExp, NodeState])[] = [
  [/down|\*|no_respond|not_responding/, 'down'],
  [/^drained|idle\+drain/, 'drained'],
  [/drain/, 'draining'],
  [/fail|inval/, 'fail'],
  [/maint/, 'maint'],
  [/power/, 'power'],
  [/unk/, 'unknown'],
  [/resv|reserved/, 'reserved'],
  [/alloc/, 'allocated'],
  [/mix/, 'mixed'],
  [/comp/, 'completing'],
  [/idle/, 'idle'],
  [/^up$/, 'up'],
]

/** Null if Slurm has another word, which is shown as it is. */
export function nodeState(node: NodeInfo): NodeState | null {
  return WRITTEN.find(([pattern]) => pattern.test(node.state.toLowerCase()))?.[1] ?? null
}

export function nodeTone(node: NodeInfo): Tone {
  const state = nodeState(node)
  if (state === 'down' || state === 'fail') return 'bad'
  if (!node.is_usable) return 'warn'
  return node.gpus_used > 0 ? 'work' : 'good'
}
