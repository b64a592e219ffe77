import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Person } from '@/api/people'
import { changeOf, checkPerson, formOfPerson } from '@/form/personForm'
import { setLanguage } from '@/i18n'
import PeoplePage from '@/pages/PeoplePage.vue'
import { useSessionStore } from '@/store/session'

import { json } from './fakes'
import { MountedPage } from './mountedPage'

const page = new MountedPage()
const person = (user: string, over: Partial<Person> = {}): Person => ({ user, groups: [], role: 'user', weight: 1, vip: false, group_weight: 1, share: 0.5, used_gpu_hours: 3, used_share: 0.25, running: 1, running_gpus: 2, queued: 0, limits: {}, over_budget: false, ...over })
let people: Person[]

beforeEach(() => {
  page.set()
  people = [
    person('ann', { groups: ['vision'] }),
    person('bob', { used_gpu_hours: 30, running_gpus: 4, over_budget: true, limits: { max_gpus: { value: 4, source: 'default' }, gpu_hours_per_day: { value: 24, source: 'user' }, max_hours: { value: 48, source: 'group:nlp' }, max_priority: { value: 'HIGH', source: 'default' } } }),
  ]
  page.handler = () => json(people)
})
afterEach(() => page.clear())

async function mountAs(role: 'viewer' | 'user' | 'admin'): Promise<void> {
  await page.mount(PeoplePage, {}, () => (useSessionStore().me = { name: 'ann', principal: 'unix:ann', admin: role === 'admin', role, via: 'session' }))
}

describe('the page of people', () => {
  it('shows use, shares and limits, those with most use first', async () => {
    await mountAs('user')
    const rows = [...document.querySelectorAll('[data-testid^="person-"]')].map((row) => row.getAttribute('data-testid'))
    expect(rows).toEqual(['person-bob', 'person-ann'])
    expect(page.text('person-bob')).toMatch(/25 %.*\/ 50 %.*30 of 24 h.*4 of 4.*at most 48 h a task.*priority up to High/s)
    expect(page.text('person-ann')).toMatch(/you.*vision.*3 h/s)
    setLanguage('zh-CN')
    await page.settle()
    expect(page.text('person-bob')).toMatch(/30 \/ 24 小时.*最高优先级：高/s)
  })

  it('shows a limit of less than a tenth of an hour', async () => {
    people = [person('ann', { used_gpu_hours: 0.12, limits: { gpu_hours_per_day: { value: 0.01, source: 'user' } } })]
    await mountAs('user')
    expect(page.text('person-ann')).toContain('0.1 of 0.01 h')
  })

  it('lets only an admin edit', async () => {
    await mountAs('user')
    expect(page.part('person-edit-bob')).toBeNull()
    useSessionStore().me!.role = 'admin'
    await page.settle()
    expect(page.part('person-edit-bob')).not.toBeNull()
  })

  it('sends only what an admin changed', async () => {
    await mountAs('admin')
    await page.click('person-edit-bob')
    expect([page.value('person-gpu_hours_per_day'), page.value('person-max_gpus')]).toEqual(['24', ''])
    await page.type('person-weight', '2.5')
    await page.type('person-gpu_hours_per_day', '')
    await page.submit('person-form')
    expect(page.sent('PATCH')).toEqual(['PATCH /api/people/bob {"weight":2.5,"limits":{"gpu_hours_per_day":null}}'])
    expect(page.part('person-form')).toBeNull()
  })

  it('keeps a refused value in its field, with the reason', async () => {
    await mountAs('admin')
    await page.click('person-edit-bob')
    await page.type('person-max_gpus', '-1')
    await page.submit('person-form')
    expect(page.sent('PATCH')).toEqual([])
    expect(page.text('person-max_gpus-error')).toBe('Enter a whole number, or leave it empty.')
    await page.type('person-max_gpus', '7')
    page.handler = (_, init) => (init?.method === 'PATCH' ? json({ detail: 'no', code: 'x.y', field: 'limits.users.bob.max_gpus' }, 422) : json(people))
    await page.submit('person-form')
    expect([page.value('person-max_gpus'), page.text('person-max_gpus-error')]).toEqual(['7', 'no'])
  })

  it('tells nobody from failure', async () => {
    people = []
    await page.mount(PeoplePage)
    expect(page.part('people-none')).not.toBeNull()
    page.clear()
    page.set()
    page.handler = () => json({ detail: 'no', code: 'x.y' }, 503)
    await page.mount(PeoplePage)
    expect(page.part('people-failed')).not.toBeNull()
  })
})

describe('the form of a person', () => {
  const bob = person('bob', { weight: 2, limits: { max_gpus: { value: 4, source: 'user' }, max_hours: { value: 48, source: 'default' } } })

  it('has only the limits of the user in its fields', () => {
    expect(formOfPerson(bob).limits).toMatchObject({ max_gpus: '4', max_hours: '' })
    expect(changeOf(formOfPerson(bob), formOfPerson(bob))).toEqual({})
  })

  it.each([
    ['weight', '0'],
    ['weight', 'x'],
    ['max_gpus', '1.5'],
    ['max_queued', '-2'],
    ['max_hours', '4h'],
  ])('refuses %s %s', (field, text) => {
    const form = formOfPerson(bob)
    if (field === 'weight') form.weight = text
    else form.limits[field as 'max_gpus'] = text
    expect(Object.keys(checkPerson(form))).toEqual([field])
  })
})
