import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { NodeInfo } from '@/api/nodes'
import { nodeState, nodeTone } from '@/format/nodeState'
import NodesPage from '@/pages/NodesPage.vue'

import { json } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
const one = (name: string, over: Partial<NodeInfo> = {}): NodeInfo => ({ name, state: 'idle', is_usable: true, reason: null, gpu_types: ['4 x a100'], gpus: 4, gpus_used: 0, task_ids: [], users: [], ...over })
let nodes: NodeInfo[]

beforeEach(() => {
  page.set()
  nodes = [one('n1', { state: 'mixed', gpus_used: 3, task_ids: [7, 8], users: ['ann', 'bob'] }), one('n2', { state: 'drained', is_usable: false, reason: 'Duplicate jobid' }), one('n3', { state: 'blocked' })]
  page.handler = () => json(nodes)
})
afterEach(() => page.clear())

async function open(): Promise<void> {
  await page.mount(NodesPage)
  await page.settle()
}

describe('the nodes', () => {
  it('show their GPUs, tasks and users', async () => {
    await open()
    expect(page.text('node-n1')).toContain('In use')
    expect(page.text('node-n1')).toContain('3 / 4')
    expect(page.text('node-n1')).toContain('ann, bob')
    expect(page.text('node-task-8')).toBe('8')
    expect(page.text('nodes-summary')).toBe('2 of 3 nodes take tasks · 3 of 12 GPUs in use')
  })

  it('show why one takes no tasks, and a state of Slurm that has no text', async () => {
    await open()
    expect(page.text('node-n2-state')).toBe('Drained')
    expect(page.text('node-n2')).toContain('Duplicate jobid')
    expect(page.text('node-n3-state')).toBe('blocked')
  })

  it('are none before Slurm has answered', async () => {
    nodes = []
    await open()
    expect(page.part('nodes-none')).not.toBeNull()
  })

  it('that cannot be loaded show the reason', async () => {
    page.handler = () => json({ detail: 'no', code: 'novel', field: null, params: {} }, 503)
    await open()
    expect(page.text('nodes-failed')).toContain('no')
  })

  it.each([
    ['idle', true, 0, 'idle', 'good'],
    ['mixed', true, 2, 'mixed', 'work'],
    ['mixed+drain', false, 2, 'draining', 'warn'],
    ['idle+drain', false, 0, 'drained', 'warn'],
    ['down*', false, 0, 'down', 'bad'],
    ['idle*', false, 0, 'down', 'bad'],
    ['up', true, 0, 'up', 'good'],
  ] as const)('in state %s', (state, isUsable, used, word, tone) => {
    const node = one('n', { state, is_usable: isUsable, gpus_used: used })
    expect([nodeState(node), nodeTone(node)]).toEqual([word, tone])
  })
})
