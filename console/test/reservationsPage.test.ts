import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Reservation } from '@/api/reservations'
import { blocksOf, daysOf, nextWindow, weekStart, windowsOf } from '@/calendar/week'
import { checkReservation, emptyReservation, localText, requestOfReservation } from '@/form/reservationForm'
import { setLanguage } from '@/i18n'
import ReservationsPage from '@/pages/ReservationsPage.vue'
import { useSessionStore } from '@/store/session'

import { json } from './fakes'
import { MountedPage } from './mountedPage'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const page = new MountedPage()
const reservation = (id: number, over: Partial<Reservation> = {}): Reservation => ({ id, user: null, group: 'vision', gpu_count: 2, devices: null, kept_gpus: [0, 1], from: new Date(Date.now() - HOUR).toISOString(), seconds: 4 * 3600, weekly: false, note: '', created_by: 'root', window_from: null, window_to: null, ...over })
let reservations: Reservation[]

beforeEach(() => {
  page.set()
  reservations = [reservation(4, { note: 'demo' }), reservation(5, { group: null, gpu_count: 1, devices: [0, 3], from: new Date(Date.now() + DAY).toISOString(), weekly: true })]
  page.handler = () => json(reservations)
})
afterEach(() => page.clear())

async function mountAs(role: 'user' | 'admin'): Promise<void> {
  await page.mount(ReservationsPage, {}, () => (useSessionStore().me = { name: 'ann', principal: 'unix:ann', admin: role === 'admin', role, via: 'session' }))
}

describe('the page of reservations', () => {
  it('lists for whom, which GPUs and when', async () => {
    await mountAs('user')
    expect(page.text('reservation-4')).toMatch(/Group vision.*2 GPUs.*now.*demo.*root/s)
    expect(page.text('reservation-5')).toMatch(/Quiet hours.*GPU 0, 3.*Every /s)
    expect(page.part('reservation-block-4')).not.toBeNull()
    expect([page.part('reservation-add'), page.part('reservation-remove-4')]).toEqual([null, null])
    setLanguage('zh-CN')
    await page.settle()
    expect(page.text('reservation-5')).toMatch(/安静时段.*每星期/s)
  })

  it('reserves GPUs', async () => {
    await mountAs('admin')
    await page.click('reservation-add')
    await page.submit('reservation-form')
    expect(page.text('reservation-name-error')).toBe('Enter a name.')
    await page.type('reservation-name', 'vision')
    await page.type('reservation-count', '3')
    await page.type('reservation-from', '2027-01-05T14:00')
    await page.type('reservation-length', '90m')
    await page.submit('reservation-form')
    const [sent] = page.sent('POST')
    expect(JSON.parse(sent!.slice('POST /api/reservations '.length))).toEqual({ gpus: 3, from: new Date('2027-01-05T14:00').toISOString(), seconds: 5400, weekly: false, group: 'vision' })
  })

  it('asks before it deletes one', async () => {
    await mountAs('admin')
    await page.click('reservation-remove-4')
    expect(page.sent('DELETE')).toEqual([])
    await page.click('reservation-remove-yes')
    expect(page.sent('DELETE')).toEqual(['DELETE /api/reservations/4'])
  })

  it('shows other weeks', async () => {
    await mountAs('user')
    await page.click('week-later')
    await page.click('week-later')
    expect(page.part('reservation-block-4')).toBeNull()
    expect(page.part('reservation-block-5')).not.toBeNull()
    await page.click('week-now')
    expect(page.part('reservation-block-4')).not.toBeNull()
  })
})

describe('a week', () => {
  const monday = new Date(2026, 10, 16)

  it('begins on Monday and has seven days', () => {
    expect(weekStart(new Date(2026, 10, 22, 23).getTime())).toEqual(monday)
    expect(weekStart(new Date(2026, 10, 16).getTime(), 1)).toEqual(new Date(2026, 10, 23))
    expect(daysOf(monday)[7]).toEqual(new Date(2026, 10, 23))
  })

  it('has each window of a weekly reservation, also one of the week before that goes on', () => {
    const weekly = reservation(1, { from: new Date(2026, 9, 4, 22).toISOString(), seconds: 4 * 3600, weekly: true })
    const windows = windowsOf(weekly, monday.getTime(), monday.getTime() + 7 * DAY)
    expect(windows.map((one) => new Date(one.start))).toEqual([new Date(2026, 10, 15, 22), new Date(2026, 10, 22, 22)])
    expect(nextWindow(weekly, new Date(2026, 10, 16, 1).getTime())?.start).toBe(new Date(2026, 10, 15, 22).getTime())
    expect(nextWindow(weekly, new Date(2026, 10, 16, 3).getTime())?.start).toBe(new Date(2026, 10, 22, 22).getTime())
  })

  it('has nothing of what is over or not yet', () => {
    expect(windowsOf(reservation(1, { from: new Date(2026, 10, 1).toISOString() }), monday.getTime(), monday.getTime() + 7 * DAY)).toEqual([])
    expect(nextWindow(reservation(1, { from: new Date(2026, 10, 1).toISOString() }), monday.getTime())).toBeNull()
  })

  it('puts windows that overlap into lanes of their own', () => {
    const at = (id: number, hour: number): Reservation => reservation(id, { from: new Date(2026, 10, 17, hour).toISOString() })
    expect(blocksOf([at(1, 8), at(2, 10)], monday).map((one) => [one.reservation.id, one.lane])).toEqual([[1, 0], [2, 1]])
    const [long] = blocksOf([reservation(3, { from: new Date(2026, 10, 10).toISOString(), seconds: 30 * 86_400 })], monday)
    expect([long!.from, long!.to]).toEqual([0, 1])
  })
})

describe('the form of a reservation', () => {
  it('begins with the next full hour', () => {
    expect(emptyReservation(new Date(2026, 10, 17, 13, 20).getTime()).from).toBe('2026-11-17T14:00')
    expect(localText(new Date(2026, 0, 2, 3, 4))).toBe('2026-01-02T03:04')
  })

  it('names what is missing', () => {
    const form = { ...emptyReservation(0), which: 'some' as const, from: '', length: '4' }
    expect(Object.keys(checkReservation(form)).sort()).toEqual(['from', 'gpus', 'length', 'name'])
    expect(Object.keys(checkReservation({ ...emptyReservation(0), holder: 'nobody', count: '0' }))).toEqual(['count'])
  })

  it('is for nobody in quiet hours', () => {
    const request = requestOfReservation({ ...emptyReservation(0), holder: 'nobody', which: 'some', gpus: [3, 1], weekly: true, note: ' night ' })
    expect(request).toMatchObject({ gpus: '1,3', weekly: true, note: 'night' })
    expect('user' in request || 'group' in request).toBe(false)
  })
})
