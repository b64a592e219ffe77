import { createApp, defineComponent, h } from 'vue'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { CAUSES, type ResourceUse, type Diagnosis, type Progress } from '@/api/findings'
import type { TaskDetail } from '@/api/tasks'
import { enoughGib, memoryVerdict, useFindings, workVerdict } from '@/format/useFindings'
import { i18n, setLanguage } from '@/i18n'

let findings: ReturnType<typeof useFindings>

beforeAll(() => {
  createApp(defineComponent({ setup: () => ((findings = useFindings()), () => h('p')) }))
    .use(i18n)
    .mount(document.createElement('div'))
})
beforeEach(() => setLanguage('en'))

const used = (more: Partial<ResourceUse> = {}): ResourceUse => ({ peak_memory_mb: 11_264, mean_memory_mb: 9_000, peak_utilization: 99, mean_utilization: 83, watched_seconds: 600, memory_asked_mb: 40_960, gpu_seconds: 600, ...more })
const diagnosis = (cause: string, params: Record<string, string> = {}): Diagnosis => ({ cause, line: 'the line', advice: 'what the server says', params, redo: null })
const progress = (more: Partial<Progress>): Progress => ({ done: 3, total: 10, percent: 30, unit: '', per_second: null, finish_at: null, line: '', stalled_seconds: null, ...more })

describe('what was asked for', () => {
  it.each([
    ['much more than was used', {}, 'less'],
    ['a little more than was used', { peak_memory_mb: 30_000 }, 'fits'],
    ['so little that less would hardly matter', { peak_memory_mb: 500, memory_asked_mb: 2_048 }, 'fits'],
    ['hardly more than was used', { peak_memory_mb: 40_000 }, 'tight'],
    ['less than was used', { peak_memory_mb: 41_000 }, 'over'],
    ['nothing at all', { memory_asked_mb: null }, 'unasked'],
    ['for a moment only', { watched_seconds: 4 }, 'short'],
  ] as const)('is judged where it was %s', (_name, more, verdict) => {
    expect(memoryVerdict(used(more), true)).toBe(verdict)
  })

  it('of a task that was cut short is not called too much, since it might have needed more', () => {
    expect(memoryVerdict(used(), false)).toBeNull()
    expect(memoryVerdict(used({ memory_asked_mb: null }), false)).toBeNull()
    expect(memoryVerdict(used({ peak_memory_mb: 41_000 }), false)).toBe('over')
  })

  it('is answered by the peak with some room, in whole GiB', () => {
    expect([enoughGib(11_264), enoughGib(10), enoughGib(0)]).toEqual([14, 1, 1])
    expect(findings.verdicts(used(), true)).toEqual(['It requested 40 GiB and used at most 11 GiB. Request 14 GiB to leave memory for other tasks.', 'Its GPU was well used, 83 % of the time.'])
    setLanguage('zh-CN')
    expect(findings.verdicts(used({ mean_utilization: 7 }), true)).toEqual(['申请了 40 GiB，最多只用了 11 GiB。申请 14 GiB 就够，旁边还能放下更多任务。', 'GPU 大部分时间空闲（忙碌 7 %），可能在等数据。'])
  })

  it('says nothing of a utilization that nobody read', () => {
    expect(workVerdict(used({ mean_utilization: null }))).toBeNull()
    expect([7, 30, 83].map((mean_utilization) => workVerdict(used({ mean_utilization })))).toEqual(['idle', 'low', 'busy'])
  })
})

describe('a cause', () => {
  it.each(CAUSES)('%s has a sentence and an advice in both languages', (cause) => {
    for (const language of ['en', 'zh-CN'] as const) {
      setLanguage(language)
      const params = { package: 'a', module: 'b', work_dir: '/c' }
      expect(findings.causeText(diagnosis(cause, params))).not.toBe('what the server says')
      expect(findings.causeFix(diagnosis(cause, params))).not.toBe('what the server says')
    }
  })

  it('names what the line names, where it does', () => {
    expect(findings.causeText(diagnosis('module_missing', { module: 'flash_attn' }))).toBe('A Python module is not installed: flash_attn.')
    expect(findings.causeText(diagnosis('module_missing'))).toBe('A Python module is not installed.')
    expect(findings.causeText(diagnosis('packages', { package: 'apex' }))).toBe('Packages could not be installed or are not compatible: package “apex”.')
    expect(findings.causeText(diagnosis('packages', { library: 'libcudnn.so.9' }))).toBe('Packages could not be installed or are not compatible: library “libcudnn.so.9” is missing.')
    expect(findings.causeText(diagnosis('oom', { tried_mib: '2560', total_mib: '40960' }))).toBe('It needed more GPU memory than there was: another 2560 MiB on a GPU with 40960 MiB.')
    expect(findings.causeText(diagnosis('port_in_use', { port: '29500' }))).toBe('A port is already in use: 29500.')
  })

  it('of memory says to ask for more only where more would help', () => {
    expect(findings.causeFix(diagnosis('oom', { advice: 'oom.too_large', total_gib: '40' }))).toBe('It requested more memory than the whole GPU has (40 GiB): use a smaller batch or model, or several GPUs.')
    expect(findings.causeFix(diagnosis('oom', { advice: 'oom.more', memory_gib: '24' }))).toBe('The GPU memory was not enough: request 24 GiB, or use a smaller batch.')
  })

  it('that is unknown is shown by the advice of the server, once', () => {
    expect(findings.causeWord('novel')).toBe('novel')
    expect(findings.causeText(diagnosis('novel'))).toBe('what the server says')
    expect(findings.causeFix(diagnosis('novel'))).toBeNull()
  })

  it('can hide nothing in what it names', () => {
    expect(findings.causeText(diagnosis('module_missing', { module: 'a\u202eb' }))).toContain('‹U+202E›')
  })
})

describe('what would be different', () => {
  const task = (more: Partial<TaskDetail>): TaskDetail => ({ memory_gb: 40, timeout_seconds: null, ...more }) as TaskDetail
  it('is said with what it was', () => {
    expect(findings.changes(task({}), { memory_gb: 48, env: { A: '1', B: 'x y' }, timeout_seconds: 7200 })).toEqual([
      { name: 'memory', text: '40 GiB → 48 GiB' },
      { name: 'env', text: 'A=1' },
      { name: 'env', text: 'B=x y' },
      { name: 'time', text: '2 h' },
    ])
    expect(findings.changes(task({ memory_gb: null, timeout_seconds: 3600 }), { memory_gb: 24, timeout_seconds: 7200 })).toEqual([{ name: 'memory', text: '24 GiB' }, { name: 'time', text: '1 h → 2 h' }])
    expect(findings.changes(task({}), {})).toEqual([])
  })
})

describe('progress', () => {
  it('has a rate in the span in which something whole happens', () => {
    const rate = (per_second: number | null, unit = 'epoch') => findings.rate(progress({ per_second, unit }))
    expect([rate(3.71, 'it'), rate(41.2), rate(0.5), rate(0.001), rate(null), rate(0), rate(2, '')]).toEqual(['3.7 it/s', '41 epoch/s', '30 epoch/min', '3.6 epoch/h', null, null, '2 it/s'])
  })

  it('says how much is done, and of what where that is known', () => {
    expect(findings.done(progress({ done: 1200, total: 5000 }))).toBe('1,200 of 5,000')
    expect(findings.done(progress({ unit: 'epoch' }))).toBe('epoch 3 of 10')
  })

  it('is done in a moment once its time is past', () => {
    expect(findings.finish(progress({ finish_at: '2020-01-01T00:00:00Z' }))).toBe('done in a moment')
    expect(findings.finish(progress({}))).toBeNull()
    expect(findings.finish(progress({ finish_at: new Date(Date.now() + 3_600_500).toISOString() }))).toMatch(/^done about .*, in (1 h|59 min)/)
  })
})
