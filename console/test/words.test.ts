import { createApp, defineComponent, h, nextTick } from 'vue'
import { beforeEach, describe, expect, it } from 'vitest'

import type { Card, Reason } from '@/api/wire'
import { i18n, preferredLanguage, speak } from '@/i18n'
import { rowsIn } from '@/ui/rows'
import { gib, span } from '@/words/amounts'
import { foreignUsers, memoryParts } from '@/words/loads'
import { useSpeech } from '@/words/speech'

let speech: ReturnType<typeof useSpeech>
beforeEach(() => {
  const Speaker = defineComponent({
    setup() {
      speech = useSpeech()
      return () => h('div')
    },
  })
  createApp(Speaker).use(i18n).mount(document.createElement('div'))
})

const reason = (code: string, params: Record<string, string>): Reason => ({ detail: `detail of ${code}`, code, params, parts: [] })

describe('kinds of errors', () => {
  it('are said in words, also the many of an exit code, and unknown ones as they are', () => {
    speak('en')
    expect([speech.errorType('oom'), speech.errorType('exit_127'), speech.errorType('vanished'), speech.errorType('exit_x')]).toEqual(['out of memory', 'exit code 127', 'process vanished', 'exit_x'])
  })
})

describe('reasons', () => {
  it('are said in the language of the page, by their code', async () => {
    speak('zh-CN')
    await nextTick()
    expect(speech.reason(reason('card.held', { gpu: '0', task: '7' }))).toBe('GPU 0 正被任务 7 使用。')
    speak('en')
    expect(speech.reason(reason('cards.short', { wanted: '1', fitting: '0' }))).toBe('Wants 1 GPU; 0 would do now.')
    expect(speech.reason(reason('cards.short', { wanted: '3', fitting: '0' }))).toBe('Wants 3 GPUs; 0 would do now.')
  })

  it('name a foreign process as far as it is known', () => {
    speak('en')
    const process = { gpu: '1', pid: '77', program: 'python' }
    expect(speech.reason(reason('card.others_work', { ...process, user: 'bob', process_mib: '900' }))).toBe('GPU 1 is in use outside Berth by bob: python (pid 77, 900 MiB).')
    expect(speech.reason(reason('card.others_work', process))).toBe('GPU 1 is in use outside Berth by someone unknown: python (pid 77).')
    expect(speech.reason(reason('card.memory_short', { ...process, free_mib: '5', needed_mib: '9', user: 'bob' }))).toBe('GPU 1 has 5 MiB free, 9 MiB are needed. Used outside Berth by bob: python (pid 77).')
    expect(speech.reason(reason('card.memory_short', { gpu: '1', free_mib: '5', needed_mib: '9' }))).toBe('GPU 1 has 5 MiB free, 9 MiB are needed.')
  })

  it('of what is new are known in both languages', () => {
    for (const [code, params, english, chinese] of [
      ['paused.stopped', {}, 'The scheduler is stopped: nothing starts by itself until somebody starts it again.', '调度器已停止：有人重新启动它之前，任务不会自动启动。'],
      ['cpu.full', {}, 'As many CPU tasks run as may run at once (max_cpu_tasks).', '同时运行的 CPU 任务已达上限（max_cpu_tasks）。'],
      ['lane.busy', { task: '7' }, 'Task 7 is before it in its lane and has not ended.', '同一通道里排在前面的任务 7 还没有结束。'],
      ['lane.spacing', {}, 'Its run is starting another task just now.', '它所属的运行正在启动另一个任务。'],
      ['lane.polite', { gpu_left: '1', idle: '1' }, 'Cards are kept free for others (gpu_left: 1); idle now: 1.', '为他人保留空闲的卡（gpu_left：1），现在空闲 1 张。'],
      ['card.kept_back', { gpu: '3' }, 'GPU 3 is kept free for others (gpu_left).', 'GPU 3 留给其他用户（gpu_left）。'],
      ['card.outside_lanes', { gpu: '3' }, 'GPU 3 is not one of those that command files compete for (compete_gpus).', 'GPU 3 不在命令文件参与竞争的卡之中（compete_gpus）。'],
      ['card.own_python', { gpu: '3', pid: '9', program: 'python' }, 'GPU 3 carries a Python process of yours already: python (pid 9).', 'GPU 3 上已有你自己的 Python 进程：python（pid 9）。'],
      ['card.kept_for', { gpu: '3', task: '7' }, 'GPU 3 is kept for task 7.', 'GPU 3 留给任务 7。'],
      ['card.not_named', { gpu: '3' }, 'GPU 3 is not one of those that the task names.', 'GPU 3 不在任务指定的卡之中。'],
      ['card.memory_short', { gpu: '1', free_mib: '5', needed_mib: '9', margin_mib: '2' }, 'GPU 1 has 5 MiB free, 9 MiB are needed. 2 MiB beyond that are kept free.', 'GPU 1 空闲 5 MiB，需要 9 MiB。 此外还要留出 2 MiB。'],
    ] as const) {
      speak('zh-CN')
      expect(speech.reason(reason(code, params))).toBe(chinese)
      speak('en')
      expect(speech.reason(reason(code, params))).toBe(english)
    }
  })

  it('tell how long a rest still lasts', () => {
    speak('en')
    const until = new Date(Date.now() + 90_000).toISOString()
    expect(speech.reason(reason('lane.backoff', { until }))).toMatch(/^It rests after its last failure and is tried again in 1 min (29|30|31) s, at \d\d:\d\d:\d\d\.$|^It rests .*, at \d\d\/\d\d /)
  })

  it('of a newer server are shown as it said them', () => {
    expect(speech.reason(reason('card.novel', {}))).toBe('detail of card.novel')
    expect(speech.reason(reason('card', {}))).toBe('detail of card')
  })

  it('cannot smuggle directions or message syntax in', () => {
    expect(speech.reason(reason('card.unreadable', { gpu: '1', why: '\u202e{evil} @:nav.gpus' }))).toBe('GPU 1 cannot be read: ‹U+202E›{evil} @:nav.gpus.')
  })
})

describe('what is wrong in a line', () => {
  it('is said in the language of the page, and as the server said it where it is new', () => {
    const problem = { line: 7, code: 'command.no_memory', detail: 'as the server says it' }
    speak('zh-CN')
    expect(speech.lineProblem(problem)).toBe('任务块的最后一行应是显存（GB），如 20。')
    speak('en')
    expect(speech.lineProblem({ ...problem, code: 'command.novel' })).toBe('as the server says it')
    expect(speech.lineProblem({ ...problem, code: 'command' })).toBe('as the server says it')
  })
})

describe('refusals', () => {
  it.each(['start.busy', 'task.not_pending', 'task.not_waiting'])('%s is said in the language of the page', (code) => {
    const problem = { detail: 'as the server says it', code, field: null, params: {} }
    speak('zh-CN')
    expect(speech.problem(problem)).toMatch(/任务|GPU/)
    speak('en')
    expect(speech.problem(problem)).not.toBe(problem.detail)
  })

  it.each(
    [
      ['run', 'already', 'not_running', 'unknown'],
      ['log', 'unbound', 'absent', 'outside', 'no_file', 'too_many', 'unreadable'],
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
    const problem = { detail: 'as the server says it', code, field: null, params: {} }
    const said = (['zh-CN', 'en'] as const).map((language) => {
      speak(language)
      return speech.problem(problem)
    })
    expect(said).not.toContain(problem.detail)
    expect(said[0]).not.toBe(said[1])
  })

  it('tell the longest time limit as a length of time', () => {
    const problem = { detail: '', code: 'timeout_seconds.invalid', field: 'timeout_seconds', params: { min: '1', max: '86400' } }
    speak('zh-CN')
    expect(speech.problem(problem)).toBe('时间上限最长为 1 天。')
    speak('en')
    expect(speech.problem(problem)).toBe('A time limit is 1 d at most.')
  })
})

describe('a need', () => {
  const task = { devices: 'auto', gpu_type: null, gpu_count: 2, max_gpu: 2 }
  it('is a number of cards, a range, certain cards or none', () => {
    speak('en')
    expect(speech.need(task)).toBe('2 × any type')
    expect(speech.need({ ...task, max_gpu: 4, gpu_type: 'NVIDIA H200' })).toBe('2–4 × NVIDIA H200')
    expect(speech.need({ ...task, devices: '0,1' })).toBe('GPU 0, 1')
    expect(speech.need({ ...task, devices: 'cpu' })).toBe('CPU only')
  })
})

describe('lengths of time', () => {
  it('have no second unit where it is nothing', () => {
    speak('en')
    expect([59_000, 60_000, 61_000, 7_200_000, 86_400_000].map(speech.duration)).toEqual(['59 s', '1 min', '1 min 1 s', '2 h', '1 d'])
  })
})

describe('alerts', () => {
  const alert = (type: string, details: Record<string, string | number> = {}) => ({ id: 1, at: '', level: 'WARNING' as const, type, message: 'as the server said it', details, task_id: 4 })
  it('are said by their type and details', () => {
    speak('en')
    expect(speech.alert(alert('gpu_error', { gpu_id: 2, error: 'fell off the bus' }))).toBe('GPU 2 failed: fell off the bus')
    expect(speech.alert(alert('processes_left', { 812: 'python', 900: 'ray' }))).toBe('Task 4 left processes behind: python (pid 812), ray (pid 900)')
    expect(speech.alert(alert('long_wait', { name: 'sft', tasks: 2, limit_seconds: 7200 }))).toBe('Task 4 “sft” has been waiting for more than 2 h.')
    expect(speech.alert(alert('disk_low', { node: 'local', free_mib: 512 }))).toBe('Disk space for logs is low: 0.5 GiB left. Nothing starts until there is more.')
    speak('zh-CN')
    expect(speech.alert(alert('gpu_error', { gpu_id: 2, error: 'fell off the bus' }))).toBe('GPU 2 发生错误：fell off the bus')
  })

  it('that are not known, or lack a value, are told as the server said it', () => {
    speak('en')
    expect(speech.alert(alert('novel'))).toBe('as the server said it')
    expect(speech.alert(alert('gpu_error', { gpu_id: 2 }))).toBe('as the server said it')
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

describe('the memory of a card', () => {
  const process = (memory: number, foreign: boolean, kind = 'compute') => ({ pid: 1, user: foreign ? 'bob' : 'alice', name: 'python', memory_mb: memory, kind, since: null, task_id: null, foreign })
  const card = { memory_total_mb: 1000, memory_used_mb: 600, task_ids: [1], processes: [process(300, false), process(200, true)] } as unknown as Card

  it("is told apart: Berth's, other people's, and the rest", () => {
    expect(memoryParts(card)).toEqual([
      { percent: 30, tone: 'accent' },
      { percent: 20, tone: 'warn' },
      { percent: 10, tone: 'still' },
    ])
  })

  it('never sums to more than is used, and is nothing where it cannot be read', () => {
    const wrong = { ...card, processes: [process(5000, false), process(5000, true)] } as unknown as Card
    expect(memoryParts(wrong)).toEqual([{ percent: 60, tone: 'accent' }])
    expect(memoryParts({ ...card, memory_used_mb: null })).toEqual([])
  })

  it('is used by foreigners when they compute, not when they draw', () => {
    expect(foreignUsers(card)).toEqual(['bob'])
    expect(foreignUsers({ ...card, processes: [process(5, true, 'graphics')] } as unknown as Card)).toEqual([])
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
