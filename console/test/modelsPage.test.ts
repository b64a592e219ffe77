import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import type { Model, ModelWorker } from '@/api/models'
import { setLanguage } from '@/i18n'
import GpusPage from '@/pages/GpusPage.vue'
import ModelsPage from '@/pages/ModelsPage.vue'
import NewTaskPage from '@/pages/NewTaskPage.vue'
import TaskPage from '@/pages/TaskPage.vue'
import { router } from '@/routes'
import { useConnectionStore } from '@/store/connection'
import { useGpusStore } from '@/store/gpus'
import { MODELS_PAUSE_MS } from '@/store/models'
import { useSessionStore } from '@/store/session'
import { useTasksStore } from '@/store/tasks'
import { toasts } from '@/ui/toasts'

import { detail, fakeEnvironment, gpu, json, task, type FakeSource } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
let models: Model[]
let refusal: { status: number; code: string; field: string | null; params?: Record<string, string> } | null

const worker = (gpuId: number, over: Partial<ModelWorker> = {}): ModelWorker => ({ model: 'mace', gpu_id: gpuId, task_id: 40 + gpuId, pid: 9, status: 'idle', current_task_id: null, memory_mb: 6144, since: '2026-01-01T00:00:00Z', last_used: '2026-01-01T00:00:00Z', last_heartbeat: null, ...over })
const model = (name: string, over: Partial<Model> = {}): Model => ({ name, worker: `python3 ${name}.py`, memory_mb: 6144, prewarm: false, env: [], work_dir: '/w', idle_seconds: 3600, configured: false, set_aside: null, failed_task_id: null, hits: 0, misses: 0, evictions: 0, load_seconds: null, run_seconds: null, workers: [], owner: null, run_as: null, ...over })

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  page.set()
  models = []
  refusal = null
  page.handler = (path, init) => {
    if (init?.method !== 'GET' && refusal !== null) return json({ detail: 'refused', params: {}, ...refusal }, refusal.status)
    if (path === '/api/models') return json(models)
    if (path.startsWith('/api/models/')) return json(models[0] ?? model('mace'))
    return json([])
  }
})
afterEach(() => {
  page.clear()
  vi.useRealTimers()
})

const hint = (field: string): string | null | undefined => document.getElementById(`${field}-hint`)?.textContent

async function open(isAdmin = true): Promise<void> {
  await page.mount(ModelsPage)
  useSessionStore().me = { name: 'ann', principal: 'unix:ann', admin: isAdmin, via: 'session' }
  await page.settle()
}

describe('the page of models', () => {
  it('explains what they are where there are none', async () => {
    await open()
    expect(page.text('models-none')).toContain('stays loaded on a GPU')
    expect(page.text('models-example')).toContain('memory_mb: 6000')
  })

  it('is not empty, but failed, where they could not be loaded', async () => {
    page.handler = () => json({ detail: '', code: 'x.y', field: null, params: {} }, 503)
    await open()
    expect(page.part('models-error')).not.toBeNull()
    expect(page.part('models-none')).toBeNull()
  })

  it('shows who is loaded where, and how often that helped', async () => {
    models = [model('mace', { hits: 3, misses: 1, evictions: 2, load_seconds: 2.25, workers: [worker(0, { status: 'busy', current_task_id: 77 }), worker(1)] })]
    await open()
    expect(page.text('model-mace-hitRate')).toBe('75 %')
    expect(['hits', 'misses', 'evictions', 'loadTime', 'idleTime', 'memory'].map((one) => page.text(`model-mace-${one}`))).toEqual(['3', '1', '2', '2.3 s', '1 h', '6 GiB'])
    expect(page.text('model-mace-state')).toBe('At work')
    expect(page.part('model-mace-gpu-0')!.dataset.status).toBe('busy')
    expect(page.part('model-mace-current')!.getAttribute('href')).toBe('/ui/tasks/77')
    expect(page.part('model-mace-log')!.getAttribute('href')).toBe('/ui/tasks/40')
    expect((page.part('model-mace-gpu-0-unload') as HTMLButtonElement).disabled).toBe(true)
    await page.click('model-mace-gpu-1-unload')
    expect(page.sent('POST')).toEqual(['POST /api/models/mace/unload {"gpu":1}'])
  })

  it('gives no rate where no task ran', async () => {
    models = [model('mace')]
    await open()
    expect(page.text('model-mace-hitRate')).toBe('–')
    expect(page.text('model-mace-none')).toContain('No worker runs')
  })

  it('says why a model is set aside and what to do, in Chinese too', async () => {
    models = [model('mace', { set_aside: 'exit code 3' })]
    await open()
    expect(page.text('model-mace-set-aside')).toContain('exit code 3')
    expect(page.text('model-mace-set-aside')).toContain('change the model')
    expect(page.part('model-mace-none')).toBeNull()
    setLanguage('zh-CN')
    await page.settle()
    expect(page.text('model-mace-state')).toBe('已停用')
    expect(page.text('model-mace-set-aside')).toContain('反复失败：exit code 3')
  })

  it('offers no change of what stands in the configuration, and says where it stands', async () => {
    models = [model('mace', { configured: true })]
    await open()
    expect(page.part('model-mace-menu')).toBeNull()
    expect(page.part('model-mace-load')).not.toBeNull()
    expect(page.text('model-mace')).toContain('Change it in the configuration file')
  })

  it('offers users tasks for models of everyone, and changes of their own models', async () => {
    models = [model('mace', { workers: [worker(0)] }), model('mine', { owner: 'ann', workers: [worker(0)] }), model('theirs', { owner: 'bob' })]
    await open(false)
    for (const one of ['model-mace-load', 'model-mace-unload', 'model-mace-menu', 'model-mine-load', 'model-theirs-submit', 'model-theirs-menu']) expect(page.part(one), one).toBeNull()
    for (const one of ['model-add', 'model-mace-submit', 'model-mine-submit', 'model-mine-unload', 'model-mine-menu']) expect(page.part(one), one).not.toBeNull()
    expect(page.text('model-theirs-owner')).toBe('bob')
    await page.click('model-add')
    expect(page.part('model-prewarm')).toBeNull()
  })

  it('loads on the chosen GPU, and keeps the question open where there is no room', async () => {
    models = [model('mace', { workers: [worker(0)] })]
    await open()
    useGpusStore().take([gpu(0), { ...gpu(0), index: 1, uuid: 'GPU-1', memory_free_mb: 1024 }])
    await page.click('model-mace-load')
    expect([...page.part('load-gpu')!.querySelectorAll('option')].map((one) => (one as HTMLOptionElement).disabled)).toEqual([false, true, false])
    await page.choose('load-gpu', '1')
    refusal = { status: 409, code: 'model.no_room', field: null, params: { model: 'mace', mib: '6144' } }
    await page.click('load-yes')
    expect(page.sent('POST')).toEqual(['POST /api/models/mace/load {"gpu":1}'])
    expect(page.text('load-gpu-error')).toContain('No GPU has room for model mace')
    refusal = null
    await page.click('load-yes')
    expect(page.part('load-gpu')).toBeNull()
  })

  it('removes only after asking, and shows why not', async () => {
    models = [model('mace')]
    await open()
    await page.click('model-mace-menu')
    await page.click('model-mace-remove')
    expect(page.sent('DELETE')).toEqual([])
    refusal = { status: 409, code: 'model.in_use', field: null, params: { model: 'mace', task: '7' } }
    await page.click('model-remove-yes')
    expect(page.text('model-mace-error')).toContain('Task 7 needs model mace')
    refusal = null
    models = []
    await page.click('model-mace-menu')
    await page.click('model-mace-remove')
    await page.click('model-remove-yes')
    expect(page.part('models-none')).not.toBeNull()
  })

  it('follows events of workers and models', async () => {
    const sources: FakeSource[] = []
    models = [model('mace')]
    await open()
    useConnectionStore().connect(fakeEnvironment(sources)).start()
    models = [model('mace', { workers: [worker(1, { status: 'loading' })] })]
    sources[0]!.send('task', { task_id: 41, task: { ...task(41, 'running'), source: 'worker' } })
    await vi.advanceTimersByTimeAsync(MODELS_PAUSE_MS)
    await page.settle()
    expect(page.text('model-mace-state')).toBe('Loading')
    models = [model('mace'), model('other')]
    sources[0]!.send('model', { kind: 'model.saved' })
    await vi.advanceTimersByTimeAsync(MODELS_PAUSE_MS)
    await page.settle()
    expect(page.part('model-other')).not.toBeNull()
  })
})

describe('a worker', () => {
  it('is no row of the task list', () => {
    let frame: () => void = () => undefined
    vi.stubGlobal('requestAnimationFrame', (run: () => void) => (frame = run))
    setActivePinia(createPinia())
    const tasks = useTasksStore()
    tasks.take({ ...task(41, 'running'), source: 'worker' })
    tasks.take({ ...task(42, 'running'), source: 'api' })
    frame()
    expect(tasks.items.map((one) => one.id)).toEqual([42])
  })

  it('stands on the card of its GPU with its state, and so does the memory of idle ones', async () => {
    models = [model('mace', { workers: [worker(0)] }), model('chgnet', { workers: [worker(0, { model: 'chgnet', status: 'busy' })] })]
    await page.mount(GpusPage)
    useGpusStore().take([{ ...gpu(0), loaded_models: ['old', 'mace', 'chgnet'], processes: [] } as never])
    await page.settle()
    expect(page.part('gpu-0-model-mace')!.dataset.status).toBe('idle')
    expect(page.part('gpu-0-model-chgnet')!.dataset.status).toBe('busy')
    expect(page.text('gpu-0-models')).toContain('old')
    expect(page.text('gpu-0-idle-memory')).toBe('Idle workers hold 6 GiB. It is freed when a task needs it.')
  })
})

describe('the form of a model', () => {
  it('shows the refusal at its field and keeps what was typed', async () => {
    await open()
    await page.click('model-add')
    await page.type('model-name', 'mace')
    await page.type('model-worker', 'w')
    await page.type('model-dir', 'x')
    refusal = { status: 422, code: 'work_dir.relative', field: 'work_dir' }
    await page.submit('model-form')
    expect(page.part('model-dir-error')).not.toBeNull()
    expect(page.value('model-worker')).toBe('w')
    refusal = null
    await page.submit('model-form')
    expect(page.sent('PUT').at(-1)).toBe('PUT /api/models/mace {"worker":"w","prewarm":false,"work_dir":"x"}')
    expect(page.part('model-form')).toBeNull()
    expect(toasts.value.at(-1)?.text).toBe('mace is added')
  })

  it('asks an admin for the account of a model for everyone, on a server for many users', async () => {
    const answer = page.handler
    page.handler = (path, init) => (path === '/api/server' ? json({ mode: 'system' }) : answer(path, init))
    await open()
    await page.click('model-add')
    await page.settle()
    await page.type('model-name', 'mace')
    await page.type('model-worker', 'w')
    await page.type('model-run-as', 'root')
    refusal = { status: 422, code: 'account.root', field: 'run_as' }
    await page.submit('model-form')
    expect(page.part('model-run-as-error')).not.toBeNull()
    refusal = null
    await page.type('model-run-as', ' models ')
    await page.submit('model-form')
    expect(page.sent('PUT').at(-1)).toBe('PUT /api/models/mace {"worker":"w","prewarm":false,"run_as":"models"}')
  })

  it('shows the account of a model for everyone, which never changes', async () => {
    const answer = page.handler
    models = [model('mace', { run_as: 'models' }), model('mine', { owner: 'ann', run_as: 'ann' })]
    page.handler = (path, init) => (path === '/api/server' ? json({ mode: 'system' }) : answer(path, init))
    await open()
    expect(page.text('model-mace-run-as')).toBe('models')
    expect(page.part('model-mine-run-as')).toBeNull()
    await page.click('model-mace-menu')
    await page.click('model-mace-edit')
    await page.settle()
    expect((page.part('model-run-as') as HTMLInputElement).disabled).toBe(true)
    expect(page.value('model-run-as')).toBe('models')
    await page.type('model-worker', 'new')
    await page.submit('model-form')
    expect(page.sent('PUT').at(-1)).not.toContain('run_as')
    await page.click('model-mine-menu')
    await page.click('model-mine-edit')
    expect(page.part('model-run-as')).toBeNull()
  })

  it('asks for no account on a personal server', async () => {
    page.handler = (path) => json(path === '/api/server' ? { mode: 'personal' } : [])
    await open()
    await page.click('model-add')
    await page.settle()
    expect(page.part('model-worker')).not.toBeNull()
    expect(page.part('model-run-as')).toBeNull()
  })

  it('does not replace another model by accident', async () => {
    models = [model('mace')]
    await open()
    await page.click('model-add')
    await page.type('model-name', 'mace')
    await page.type('model-worker', 'w')
    await page.submit('model-form')
    expect(page.text('model-name-error')).toContain('already')
    expect(page.sent('PUT')).toEqual([])
  })

  it('is asked about before it is lost', async () => {
    models = [model('mace', { env: ['KEY'] })]
    await open()
    await page.click('model-mace-menu')
    await page.click('model-mace-edit')
    expect(hint('model-env')).toContain('KEY')
    expect((page.part('model-name') as HTMLInputElement).disabled).toBe(true)
    await page.type('model-worker', 'mine')
    await page.click('model-discard')
    expect(page.part('model-form')).not.toBeNull()
    await page.click('unsaved-yes')
    expect(page.part('model-form')).toBeNull()
  })
})

describe('the form of a new task', () => {
  it('speaks of models only where there are some', async () => {
    await page.mount(NewTaskPage, { from: null, model: null })
    expect(page.part('form-kind-model')).toBeNull()
  })

  it('sends a model task and keeps unreadable parameters in their view', async () => {
    models = [model('mace')]
    await router.push('/new')
    await page.mount(NewTaskPage, { from: null, model: null })
    await page.click('form-kind-model')
    expect(page.part('form-command')).toBeNull()
    await page.type('form-name', 'relax')
    await page.choose('form-call-model', 'mace')
    await page.type('form-param-0-name', 'n')
    await page.type('form-param-0-value', '7')
    await page.click('form-params-view-json')
    expect(page.value('form-params-json')).toBe('{\n  "n": 7\n}')
    await page.type('form-params-json', '{"n": ')
    await page.click('form-params-view-rows')
    expect(page.text('form-params-error')).toBe('Correct the parameters first.')
    expect(page.value('form-params-json')).toBe('{"n": ')
    await page.type('form-params-json', '{"n": [8]}')
    page.handler = (path) => json(path === '/api/tasks' ? detail(9) : [])
    await page.click('form-submit')
    expect(page.sent('POST')).toEqual(['POST /api/tasks {"name":"relax","model_name":"mace","params":{"n":[8]}}'])
  })

  it('opens with the model that a link names', async () => {
    models = [model('mace', { workers: [worker(0)] })]
    await page.mount(NewTaskPage, { from: null, model: 'mace' })
    expect(page.value('form-call-model')).toBe('mace')
    expect(hint('form-call-model')).toContain('It is loaded')
  })
})

describe('the page of a model task', () => {
  const LOG = { lines: [], offset: 0, next_offset: 0, partial: false, size: 0, attempt: null }
  const answer = (path: string, one: unknown): Response => json(path === '/api/tasks/7' ? one : path.includes('/history') ? { points: [] } : path.includes('/logs') ? LOG : [])

  const call = { ...detail(7, 'completed'), command: '', model_name: 'mace', task_type: 'opt', params: { n: 7 }, result: { energy: -1.5 }, devices: 'auto', source: 'api' }

  it('shows parameters and result, and no empty command', async () => {
    page.handler = (path) => answer(path, call)
    await page.mount(TaskPage, { id: 7 })
    expect(page.text('task-result')).toBe('{\n  "energy": -1.5\n}')
    expect(page.text('task-params')).toBe('{\n  "n": 7\n}')
    expect(page.part('task-command')).toBeNull()
    expect(page.part('task-call-model')!.getAttribute('href')).toBe('/ui/models#model-mace')
  })

  it('has no result before it is completed, and folds a long one', async () => {
    page.handler = (path) => answer(path, { ...call, status: 'failed', result: null })
    await page.mount(TaskPage, { id: 7 })
    expect(page.part('task-result-fold-open')).toBeNull()
    page.clear()
    page.set()
    page.handler = (path) => answer(path, { ...call, result: 'x'.repeat(30_000) })
    await page.mount(TaskPage, { id: 7 })
    expect(page.part('task-result')).toBeNull()
    await page.click('task-result-fold-open')
    expect(page.text('task-result')).toHaveLength(30_002)
  })
})
