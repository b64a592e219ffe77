import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { Reason } from '@/api/problems'
import { grouped } from '@/format/reasonGroups'
import { marked, piecesOf } from '@/format/linkedText'
import GpusPage from '@/pages/GpusPage.vue'
import GpuPanel from '@/parts/gpu/GpuPanel.vue'
import DiagnosisPanel from '@/parts/task/DiagnosisPanel.vue'
import WaitReasonsPanel from '@/parts/task/WaitReasonsPanel.vue'
import { router } from '@/routes'
import { useGpusStore } from '@/store/gpus'

import { detail, gpu, json } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
beforeEach(() => page.set())
afterEach(() => page.clear())

const held = (index: number, task: number): Reason => ({ code: 'card.held', detail: '', params: { gpu: String(index), task: String(task) }, parts: [] }) as unknown as Reason
const fault = (kind: string, why: string) => ({ kind, why, stage: 'out', since: '2026-01-01T00:00:00Z' })
const gpus = (count: number) => Array.from({ length: count }, (_, index) => ({ ...gpu(0), index, uuid: `GPU-${index}`, name: 'Card', memory_used_mb: 0, memory_total_mb: 1024, temperature_c: 30, status: index === 9 || index === 12 ? 'error' : index < 3 ? 'busy' : 'free', fault: index === 9 ? fault('xid', 'Xid 79') : index === 12 ? fault('person', 'noisy fan') : null }))

/** A server that does not say more than the reasons of the task. */
const older = (): Response => json({ detail: 'Nothing here.', code: 'path.unknown', field: null, params: {} }, 404)

describe('reasons', () => {
  beforeEach(() => (page.handler = older))

  it('of many GPUs are one line for each kind, with links to the tasks', async () => {
    const parts = [...Array.from({ length: 52 }, (_, i) => held(i, i % 2 === 0 ? 7 : 9)), { ...held(60, 7), code: 'card.reserved' }]
    expect(grouped(parts).map((group) => [group.code, group.reasons.length, group.tasks])).toEqual([['card.held', 52, [7, 9]], ['card.reserved', 1, [7]]])
    await page.mount(WaitReasonsPanel, { task: { ...detail(5), wait_reasons: [{ code: 'cards.short', detail: '', params: { wanted: '60', fitting: '12' }, parts }] } })
    const group = page.part('reason-groups')!.querySelector('li')!
    expect(group.querySelector('summary')!.textContent).toContain('52 GPUs: held by other tasks')
    expect([...group.querySelectorAll('summary a')].map((link) => link.getAttribute('href'))).toEqual(['/ui/tasks/7', '/ui/tasks/9'])
  })

  it('name tasks and GPUs as links, and nothing else', async () => {
    expect(piecesOf(`GPU ${marked({ gpu: '3' }).gpu} is held by task ${marked({ task: '12' }).task}.`)).toEqual([
      { text: 'GPU ' },
      { text: '3', to: { name: 'gpu', params: { index: '3' } } },
      { text: ' is held by task ' },
      { text: '12', to: { name: 'task', params: { id: '12' } } },
      { text: '.' },
    ])
    expect(marked({ task: 'x', user: '7' })).toEqual({ task: 'x', user: '7' })
    await page.mount(WaitReasonsPanel, { task: { ...detail(5), wait_reasons: [{ code: 'cards.short', detail: '', params: { wanted: '1', fitting: '0' }, parts: [held(3, 12)] }] } })
    expect([...page.part('task-why')!.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual(['/ui/gpu/3', '/ui/tasks/12'])
  })
})

describe('many GPUs', () => {
  it('are a table that the address filters', async () => {
    page.handler = (path) => json(path.startsWith('/api/gpus?') ? gpus(20) : [])
    await router.push('/gpu?show=faulty')
    await page.mount(GpusPage)
    await useGpusStore().load()
    await page.settle()
    const rows = (): number => page.part('gpu-table')?.querySelectorAll('tbody tr').length ?? 0
    expect(rows()).toBe(1)
    expect(page.text('gpu-9')).toContain('Xid 79')
    await router.push('/gpu?show=busy')
    await page.settle()
    expect(rows()).toBe(3)
    await router.push('/gpu?show=out')
    await page.settle()
    expect(rows()).toBe(1)
    expect(page.text('gpu-12')).toContain('Quarantined')
    expect([page.text('gpu-count-error'), page.text('gpu-count-out')]).toEqual(['1 faulty', '1 quarantined'])
    await router.push('/gpu?view=panels')
    await page.settle()
    expect([page.part('gpu-table'), page.part('gpu-0') !== null]).toEqual([null, true])
  })

  it('have lines that begin with the stored history', async () => {
    const now = Math.floor(Date.now() / 1000)
    page.handler = (path) => json(path.startsWith('/api/gpus/history') ? [{ gpu: 0, points: [{ t: now - 60, utilization: 80 }, { t: now - 30, utilization: 20 }, { t: now - 20, utilization: null }] }] : path.startsWith('/api/gpus?') ? [gpu(5)] : [])
    await page.mount(GpusPage)
    await useGpusStore().load()
    await page.settle()
    expect(page.asked).toContain('GET /api/gpus/history?seconds=120')
    expect(useGpusStore().history.get('GPU-0')?.map((sample) => sample.percent)).toEqual([80, 20, 5])
  })
})

describe('a GPU of a cluster', () => {
  it('is named with its node, and what Slurm does not say is not a fault', async () => {
    const job = { pid: 0, user: 'ada', name: 'slurm', memory_mb: null, kind: 'compute' as const, since: null, task_id: 7, foreign: false }
    const one = { ...gpu(0), index: 0, name: 'a100', memory_total_mb: 1024, loaded_models: [], temperature_c: null, node: 'n1', memory_used_mb: null, utilization_percent: null, status: 'busy' as const, processes: [job] }
    await page.mount(GpuPanel, { gpu: one, samples: [] })
    expect(page.text('gpu-0-open')).toMatch(/^n1 #0 · /)
    expect(page.text('gpu-0')).toContain('not reported by Slurm')
    expect(page.text('gpu-0')).not.toContain('not readable')
    expect(page.text('gpu-process')).not.toMatch(/0/)
    await page.mount(GpuPanel, { gpu: { ...one, node: 'local', index: 1 }, samples: [] })
    expect(page.text('gpu-1-open')).toMatch(/^#1 · /)
  })
})

describe('the list of changes', () => {
  it('has only groups of terms and values, as HTML requires', async () => {
    vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }))
    const task = { ...detail(7, 'failed'), memory_gb: 8 }
    await page.mount(DiagnosisPanel, { task, diagnosis: { cause: 'oom', params: {}, line: null, redo: { memory_gb: 16 } } })
    const list = page.part('diagnosis-changes')!.querySelector('dl')!
    expect([...list.children].map((child) => [child.tagName, [...child.children].map((one) => one.tagName)])).toEqual([['DIV', ['DT', 'DD']]])
  })
})
