import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Me, Role } from '@/api/session'
import SignInPage from '@/pages/SignInPage.vue'
import TaskPage from '@/pages/TaskPage.vue'
import TasksPage from '@/pages/TasksPage.vue'
import TopBar from '@/parts/shell/TopBar.vue'
import { router } from '@/routes'
import { addressOf, DEFAULT_QUERY, queryOf } from '@/store/taskQuery'
import { useSessionStore } from '@/store/session'

import { detail, json, task } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
const LOG = { task_id: 7, attempt: 1, lines: [], start: 0, next_offset: 0, partial: false, size: 0, begin_offset: 0, end_offset: 0 }
const me = (role: Role): Me => ({ name: 'alice', principal: 'unix:alice', admin: role === 'admin', role, via: 'session' })

beforeEach(() => page.set())
afterEach(() => page.clear())

async function mountAs(role: Role, component: Parameters<typeof page.mount>[0], props: Record<string, unknown> = {}): Promise<void> {
  await page.mount(component, props, () => (useSessionStore().me = me(role)))
}

describe('a task of another user', () => {
  const foreign = { ...detail(7, 'running'), owner: 'bob', command: '', work_dir: '', exit_code: null, error: null, log_path: null, tmux_session: null, assigned_gpus: [1] }

  beforeEach(() => {
    page.handler = (path) => (path.includes('/logs') ? json(LOG) : json(foreign))
  })

  it('shows what the server gives and says so, without actions', async () => {
    await mountAs('user', TaskPage, { id: 7 })
    expect(page.text('task-closed')).toContain('A task of bob. Only the owner sees the command and the log.')
    for (const part of ['task-cancel', 'task-clone', 'task-command', 'task-exit', 'task-log-path', 'task-error-text', 'log']) expect(page.part(part), part).toBeNull()
    expect(page.text('task-owner')).toBe('bob')
    expect(page.asked.filter((one) => one.includes('/logs'))).toEqual([])
  })

  it('is open to an admin, and where the lab opens it', async () => {
    await mountAs('admin', TaskPage, { id: 7 })
    expect([page.part('task-closed'), page.part('task-cancel') === null]).toEqual([null, false])
    page.clear()
    page.set()
    page.handler = (path) => (path.includes('/logs') ? json(LOG) : json({ ...foreign, command: 'python train.py' }))
    await mountAs('user', TaskPage, { id: 7 })
    expect([page.part('task-closed'), page.text('task-command'), page.part('task-cancel')]).toEqual([null, 'python train.py', null])
  })
})

describe('the own task', () => {
  it('has its actions, but not for a viewer', async () => {
    page.handler = (path) => (path.includes('/logs') ? json(LOG) : json({ ...detail(7, 'running'), assigned_gpus: [1], exit_code: null }))
    await mountAs('user', TaskPage, { id: 7 })
    expect([page.part('task-cancel') === null, page.part('task-clone') === null]).toEqual([false, false])
    useSessionStore().me = me('viewer')
    await page.settle()
    expect([page.part('task-cancel'), page.part('task-clone')]).toEqual([null, null])
  })
})

describe('the list of tasks', () => {
  beforeEach(async () => {
    await router.push('/tasks')
    page.handler = () => json([task(1)], 200, { 'X-Total-Count': '1' })
  })
  const asked = (): string | null => new URL(page.asked.at(-1)!.replace(/^GET /, ''), 'http://x').searchParams.get('owner')

  it('shows a user their own tasks first', async () => {
    await mountAs('user', TasksPage)
    expect(asked()).toBe('alice')
    await page.click('tasks-owners-all')
    expect([asked(), router.currentRoute.value.query.owner]).toEqual([null, '*'])
    await page.click('tasks-owners-mine')
    expect([asked(), router.currentRoute.value.query.owner]).toEqual(['alice', undefined])
  })

  it('shows an admin all tasks, and the choice only where there are other users', async () => {
    await mountAs('admin', TasksPage)
    await page.click('tasks-refresh')
    expect([asked(), page.part('tasks-owners-mine')]).toEqual([null, null])
    page.handler = () => json([{ ...task(2), owner: 'bob' }, task(1)], 200, { 'X-Total-Count': '2' })
    await page.click('tasks-refresh')
    expect(page.part('tasks-owners-mine')).not.toBeNull()
  })

  it('has whose tasks in its address', () => {
    expect(queryOf({}, 'alice').owner).toBe('alice')
    expect(queryOf({ owner: '*' }, 'alice').owner).toBe('')
    expect(queryOf({ owner: 'bob' }, 'alice').owner).toBe('bob')
    expect(addressOf({ ...DEFAULT_QUERY, owner: 'alice' }, 'alice')).toEqual({})
    expect(addressOf(DEFAULT_QUERY, 'alice')).toEqual({ owner: '*' })
    expect(addressOf(DEFAULT_QUERY)).toEqual({})
  })
})

describe('the bar', () => {
  it('shows the role, and no new task to a viewer', async () => {
    await mountAs('user', TopBar)
    expect([page.text('my-role'), page.part('nav-new') === null]).toEqual(['User', false])
    useSessionStore().me = me('viewer')
    await page.settle()
    expect([page.text('my-role'), page.part('nav-new')]).toEqual(['Viewer', null])
  })
})

describe('the sign-in page', () => {
  it('explains the link where the server takes no passwords', async () => {
    page.handler = () => json({ status: 'ok' })
    await page.mount(SignInPage)
    expect([page.part('password-form'), page.part('sign-in-again') === null]).toEqual([null, false])
  })

  it('logs in with a password, and keeps the name where it was wrong', async () => {
    page.handler = (path) => (path === '/api/login' ? json({ detail: 'Wrong.', code: 'x.y' }, 401) : path === '/api/health' ? json({ status: 'failing', password_login: true }, 503) : json(me('user')))
    await page.mount(SignInPage)
    await page.type('password-user', 'alice')
    await page.type('password-secret', 'wrong')
    await page.submit('password-form')
    expect([page.text('password-error'), page.value('password-user'), page.value('password-secret')]).toEqual(['Wrong.', 'alice', ''])
    page.handler = (path) => (path === '/api/me' ? json(me('user')) : json({}))
    await page.type('password-secret', 'right')
    await page.submit('password-form')
    expect(page.sent('POST').at(-1)).toBe('POST /api/login {"user":"alice","password":"right"}')
    expect(useSessionStore().me?.name).toBe('alice')
  })
})
