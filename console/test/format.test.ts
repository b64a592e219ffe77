import { createApp, defineComponent, h, nextTick } from 'vue'
import { beforeEach, describe, expect, it } from 'vitest'

import type { Gpu } from '@/api/gpus'
import type { Reason } from '@/api/problems'
import { gib, span } from '@/format/amounts'
import { foreignUsers, memoryParts } from '@/format/gpuUse'
import { useFormat } from '@/format/useFormat'
import { i18n, preferredLanguage, setLanguage } from '@/i18n'
import { templateOf } from '@/texts/catalogue'
import { rowsIn } from '@/ui/rows'

let format: ReturnType<typeof useFormat>
beforeEach(() => {
  const Speaker = defineComponent({
    setup() {
      format = useFormat()
      return () => h('div')
    },
  })
  createApp(Speaker).use(i18n).mount(document.createElement('div'))
})

const reason = (code: string, params: Record<string, string>): Reason => ({ detail: `detail of ${code}`, code, params, parts: [] })

describe('kinds of errors', () => {
  it('are said in words, also the many of an exit code, and unknown ones as they are', () => {
    setLanguage('en')
    expect([format.errorType('oom'), format.errorType('exit_127'), format.errorType('vanished'), format.errorType('exit_x')]).toEqual(['out of memory', 'exit code 127', 'process vanished', 'exit_x'])
  })
})

describe('reasons', () => {
  it('are said in the language of the page, by their code', async () => {
    setLanguage('zh-CN')
    await nextTick()
    expect(format.reason(reason('card.held', { gpu: '0', task: '7' }))).toBe('GPU 0 正被任务 7 使用。')
    setLanguage('en')
    expect(format.reason(reason('cards.short', { wanted: '1', fitting: '0', variant: 'none' }))).toBe('Needs 1 GPU; none is free for it.')
    expect(format.reason(reason('cards.short', { wanted: '3', fitting: '2' }))).toBe('Needs 3 GPUs; free for it now: 2.')
  })

  it('name a foreign process as far as it is known', () => {
    setLanguage('en')
    const process = { gpu: '1', pid: '77', program: 'python' }
    expect(format.reason(reason('card.others_work', { ...process, user: 'bob', process_mib: '900' }))).toBe('GPU 1 is in use outside Berth by bob: python (pid 77, 900 MiB).')
    expect(format.reason(reason('card.others_work', process))).toBe('GPU 1 is in use outside Berth: python (pid 77).')
    expect(format.reason(reason('card.memory_short', { ...process, free_mib: '5', needed_mib: '9', user: 'bob' }))).toBe('GPU 1 has 5 MiB free, 9 MiB are needed (used outside Berth by bob: python (pid 77)).')
    expect(format.reason(reason('card.memory_short', { gpu: '1', free_mib: '5', needed_mib: '9' }))).toBe('GPU 1 has 5 MiB free, 9 MiB are needed.')
  })

  it('of what is new are known in both languages', () => {
    for (const [code, params, english, chinese] of [
      ['paused.stopped', { cause: 'x' }, 'The scheduler is stopped. No task starts until somebody starts it again.', '调度器已停止。重新启动它之前，任务不会启动。'],
      ['cpu.full', { running: '2', most: '2' }, '2 tasks without a GPU are running, 2 may run at a time (max_cpu_tasks).', '已有 2 个不用 GPU 的任务在运行，同时最多 2 个（max_cpu_tasks）。'],
      ['lane.busy', { task: '7' }, 'Task 7 is ahead of it in its lane and has not ended.', '同一通道里排在前面的任务 7 还没有结束。'],
      ['lane.spacing', { run: '4' }, 'Run 4 is starting another task.', '运行 4 正在启动另一个任务。'],
      ['lane.polite', { gpu_left: '1', idle: '1' }, 'Lanes keep 1 GPU idle for others (gpu_left); idle now: 1.', '通道为其他用户保留 1 张空闲 GPU（gpu_left），现在空闲 1 张。'],
      ['card.kept_back', { gpu: '3' }, 'GPU 3 is kept free for others (gpu_left).', 'GPU 3 留给其他用户（gpu_left）。'],
      ['card.outside_lanes', { gpu: '3' }, 'GPU 3 is not one of those that lanes use (use_all_gpus, compete_gpus).', 'GPU 3 不在通道使用的 GPU 之中（use_all_gpus、compete_gpus）。'],
      ['card.own_python', { gpu: '3', pid: '9', program: 'python' }, 'GPU 3 already has a Python process of yours outside Berth: python (pid 9).', 'GPU 3 上已有你在 Berth 之外的 Python 进程：python（pid 9）。'],
      ['card.kept_for', { gpu: '3', task: '7' }, 'GPU 3 is kept for task 7, which is before this one and waits for it.', 'GPU 3 留给排在前面的任务 7。'],
      ['card.not_named', { gpu: '3', devices: '0,1' }, 'GPU 3 is not one of the GPUs that the task names (devices 0,1).', 'GPU 3 不在任务指定的 GPU 之中（devices 0,1）。'],
      ['card.memory_short', { gpu: '1', free_mib: '5', needed_mib: '9', margin_mib: '2', variant: 'margin' }, 'GPU 1 has 5 MiB free, 9 MiB are needed and 2 MiB must stay free.', 'GPU 1 空闲 5 MiB，需要 9 MiB，另须留出 2 MiB。'],
    ] as const) {
      setLanguage('zh-CN')
      expect(format.reason(reason(code, params))).toBe(chinese)
      setLanguage('en')
      expect(format.reason(reason(code, params))).toBe(english)
    }
  })

  it('tell how long a rest still lasts', () => {
    setLanguage('en')
    // The clock of the pages stands while no page is mounted, so the test only asks for about 90 s.
    const until = new Date(Date.now() + 90_000).toISOString()
    expect(format.reason(reason('lane.backoff', { until }))).toMatch(/^Its last attempt failed. The next one starts in [12] min( \d+ s)?, at \d\d:\d\d:\d\d\.$|^Its last attempt failed.*, at \d\d\/\d\d /)
  })

  it('of a newer server are shown as it said them', () => {
    expect(format.reason(reason('card.novel', {}))).toBe('detail of card.novel')
    expect(format.reason(reason('card', {}))).toBe('detail of card')
  })

  it('cannot smuggle directions or message syntax in', () => {
    expect(format.reason(reason('card.unreadable', { gpu: '1', why: '\u202e{evil} @:nav.gpus' }))).toBe('GPU 1 cannot be read: ‹U+202E›{evil} @:nav.gpus.')
  })
})

describe('what is wrong in a line', () => {
  it('is shown as the server wrote it, in the language of the call', () => {
    expect(format.lineProblem({ line: 7, code: 'command.no_memory', detail: 'as the server\u202e says it' })).toBe('as the server‹U+202E› says it')
  })
})

/** A value for everything that the sentence needs. */
const paramsOf = (code: string): Record<string, string> => {
  const variant = code === 'model_name.invalid' || code === 'task_type.invalid' ? 'name' : ''
  return { variant, ...Object.fromEntries((templateOf('en', 'problem', code, variant)?.names ?? []).map((name) => [name, '1'])) }
}

describe('refusals', () => {
  it.each(['start.busy', 'task.not_pending', 'task.not_waiting'])('%s is said in the language of the page', (code) => {
    const problem = { detail: 'as the server says it', code, field: 'name', params: paramsOf(code) }
    setLanguage('zh-CN')
    expect(format.problem(problem)).toMatch(/任务|GPU/)
    setLanguage('en')
    expect(format.problem(problem)).not.toBe(problem.detail)
  })

  it.each(
    [
      ['run', 'already', 'not_running', 'unknown'],
      ['log', 'unbound', 'absent', 'outside', 'no_file', 'too_many', 'gone', 'unreadable'],
      ['command', 'missing', 'bad_block', 'nothing', 'running', 'first', 'too_large'],
      ['name', 'empty', 'too_long', 'control'],
      ['command', 'empty', 'too_long'],
      ['gpu_type', 'empty', 'unknown', 'with_cpu'],
      ['gpu_count', 'invalid', 'outside', 'with_devices', 'with_cpu'],
      ['min_gpu', 'invalid', 'with_devices', 'with_cpu'],
      ['max_gpu', 'invalid', 'with_devices', 'with_cpu'],
      ['devices', 'invalid', 'repeated', 'unknown', 'reserved', 'outside'],
      ['memory_gb', 'invalid', 'with_cpu'],
      ['share', 'needs_memory', 'with_cpu'],
      ['model_name', 'invalid'],
      ['task_type', 'invalid'],
      ['structure_n_atoms', 'invalid', 'without_model'],
      ['timeout_seconds', 'invalid'],
      ['priority', 'unknown'],
      ['work_dir', 'invalid'],
      ['env', 'name', 'reserved', 'too_large'],
      ['cards', 'none', 'too_many'],
      ['task', 'changed'],
      ['change', 'empty'],
    ].flatMap(([field, ...faults]) => faults.map((fault) => `${field}.${fault}`)),
  )('%s, of a task that is made or changed, is said in both languages', (code) => {
    const problem = { detail: 'as the server says it', code, field: 'name', params: paramsOf(code) }
    const said = (['zh-CN', 'en'] as const).map((language) => {
      setLanguage(language)
      return format.problem(problem)
    })
    expect(said).not.toContain(problem.detail)
    expect(said[0]).not.toBe(said[1])
  })

  it('tell the longest time limit as a length of time', () => {
    const problem = { detail: '', code: 'timeout_seconds.invalid', field: 'timeout_seconds', params: { min: '1', max: '2592000' } }
    setLanguage('zh-CN')
    expect(format.problem(problem)).toBe(
      '时间上限（--time，timeout_seconds）应是 1 到 2592000 秒（30 天）之间的整数。最大值由配置项 scheduler.max_task_timeout_seconds 设定。',
    )
    setLanguage('en')
    expect(format.problem(problem)).toBe(
      'A time limit (--time, timeout_seconds) is a whole number of seconds from 1 to 2592000 (30 d). The setting scheduler.max_task_timeout_seconds is the maximum.',
    )
  })
})

describe('a need', () => {
  const task = { devices: 'auto', gpu_type: null, gpu_count: 2, max_gpu: 2 }
  it('is a number of GPUs, a range, certain GPUs or none', () => {
    setLanguage('en')
    expect(format.need(task)).toBe('2 × any type')
    expect(format.need({ ...task, max_gpu: 4, gpu_type: 'NVIDIA H200' })).toBe('2–4 × NVIDIA H200')
    expect(format.need({ ...task, devices: '0,1' })).toBe('GPU 0, 1')
    expect(format.need({ ...task, devices: 'cpu' })).toBe('CPU only')
  })
})

describe('lengths of time', () => {
  it('have no second unit where it is nothing', () => {
    setLanguage('en')
    expect([59_000, 60_000, 61_000, 7_200_000, 86_400_000].map(format.duration)).toEqual(['59 s', '1 min', '1 min 1 s', '2 h', '1 d'])
  })
})

describe('alerts', () => {
  const alert = (type: string, details: Record<string, string | number> = {}) => ({ id: 1, at: '', level: 'WARNING' as const, type, message: 'as the server said it', details, task_id: 4 })
  it('are said by their type and details', () => {
    setLanguage('en')
    expect(format.alert(alert('disk_recovered', { node: 'local', free_mib: 512 }))).toBe('Disk space on local is sufficient again: 512 MiB free.')
    setLanguage('zh-CN')
    expect(format.alert(alert('disk_recovered', { node: 'local', free_mib: 512 }))).toBe('local 磁盘空间已恢复，剩余 512 MiB。')
  })

  it('that are not known, or lack a value, are shown as the server sent them', () => {
    setLanguage('en')
    expect(format.alert(alert('novel'))).toBe('as the server said it')
    expect(format.alert(alert('disk_recovered', { node: 'local' }))).toBe('as the server said it')
  })
})

describe('language', () => {
  it('is what was chosen, else what the browser prefers, else English', () => {
    expect(preferredLanguage('en', ['zh-CN'])).toBe('en')
    expect(preferredLanguage(null, ['zh-TW', 'en'])).toBe('zh-CN')
    expect(preferredLanguage('xx', ['de', 'en-GB', 'zh'])).toBe('en')
    expect(preferredLanguage(null, ['de'])).toBe('en')
  })
})

describe('amounts', () => {
  it('have one decimal while that matters', () => {
    expect([gib(1536, 'en'), gib(143771, 'en'), gib(0, 'en')]).toEqual(['1.5', '140', '0'])
  })

  it('of time have two units', () => {
    expect(span(59_999)).toEqual({ unit: 'seconds', major: 59, minor: 0 })
    expect(span(3_725_000)).toEqual({ unit: 'hours', major: 1, minor: 2 })
    expect(span(-5)).toEqual({ unit: 'seconds', major: 0, minor: 0 })
  })
})

describe('the memory of a GPU', () => {
  const process = (memory: number, foreign: boolean, kind = 'compute') => ({ pid: 1, user: foreign ? 'bob' : 'alice', name: 'python', memory_mb: memory, kind, since: null, task_id: null, foreign })
  const gpu = { memory_total_mb: 1000, memory_used_mb: 600, task_ids: [1], processes: [process(300, false), process(200, true)] } as unknown as Gpu

  it("is distinguished: Berth's, other people's, and the rest", () => {
    expect(memoryParts(gpu)).toEqual([
      { percent: 30, tone: 'accent' },
      { percent: 20, tone: 'warn' },
      { percent: 10, tone: 'still' },
    ])
  })

  it('never sums to more than is used, and is nothing where it cannot be read', () => {
    const wrong = { ...gpu, processes: [process(5000, false), process(5000, true)] } as unknown as Gpu
    expect(memoryParts(wrong)).toEqual([{ percent: 60, tone: 'accent' }])
    expect(memoryParts({ ...gpu, memory_used_mb: null })).toEqual([])
  })

  it('is used by foreigners when they compute, not when they draw', () => {
    expect(foreignUsers(gpu)).toEqual(['bob'])
    expect(foreignUsers({ ...gpu, processes: [process(5, true, 'graphics')] } as unknown as Gpu)).toEqual([])
  })
})

describe('rows', () => {
  it('are all drawn when they are few, and those near the window when they are many', () => {
    expect(rowsIn(100, 44, 0, 900)).toEqual({ from: 0, to: 100, above: 0, below: 0 })
    const { from, to, above, below } = rowsIn(50_000, 44, -44_000, 900)
    expect(to - from).toBeLessThan(60)
    expect(from).toBeLessThan(1000)
    expect(above + (to - from) * 44 + below).toBe(50_000 * 44)
  })

  it('are none beyond the end', () => {
    expect(rowsIn(200, 44, -1_000_000, 900).from).toBe(200)
  })
})
