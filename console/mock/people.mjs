// Users with shares and limits, and reservations of GPUs.

const HOUR = 3_600_000

export class People {
  constructor({ json, refuse }) {
    this.json = json
    this.refuse = refuse
    const limit = (value, source = 'default') => ({ value, source })
    this.people = [
      { user: 'alice', groups: ['vision', 'staff'], role: 'admin', weight: 2, vip: false, group_weight: 2, share: 0.4, used_gpu_hours: 41.3, used_share: 0.46, running: 3, running_gpus: 6, queued: 4, limits: { max_gpus: limit(8, 'group:vision'), gpu_hours_per_day: limit(96, 'group:vision'), max_hours: limit(48) }, over_budget: false },
      { user: 'bob', groups: ['nlp'], role: 'user', weight: 1, vip: false, group_weight: 1, share: 0.2, used_gpu_hours: 30.1, used_share: 0.33, running: 2, running_gpus: 4, queued: 11, limits: { max_gpus: limit(4), max_running: limit(4), max_queued: limit(100), gpu_hours_per_day: limit(24, 'user'), max_hours: limit(48), max_priority: limit('HIGH') }, over_budget: true },
      { user: '陈晨', groups: ['vision', 'doctoral-students-2026', 'cluster-beta'], role: 'user', weight: 1, vip: true, group_weight: 2, share: 0.2, used_gpu_hours: 12.75, used_share: 0.14, running: 1, running_gpus: 1, queued: 0, limits: { max_gpus: limit(8, 'group:vision'), max_hours: limit(48) }, over_budget: false },
      { user: 'dmitri', groups: [], role: 'user', weight: 1, vip: false, group_weight: 1, share: 0.2, used_gpu_hours: 6, used_share: 0.07, running: 0, running_gpus: 0, queued: 2, limits: { max_gpus: limit(4), max_hours: limit(48) }, over_budget: false },
      { user: 'intern', groups: ['nlp'], role: 'viewer', weight: 1, vip: false, group_weight: 1, share: null, used_gpu_hours: 0, used_share: 0, running: 0, running_gpus: 0, queued: 0, limits: { max_hours: limit(48) }, over_budget: false },
    ]
    const at = (days, hour) => {
      const day = new Date()
      day.setHours(hour, 0, 0, 0)
      day.setDate(day.getDate() + days)
      return day.toISOString()
    }
    this.reservations = [
      { id: 4, user: null, group: 'vision', gpu_count: 2, devices: null, kept_gpus: [1, 2], from: new Date(Math.floor(Date.now() / HOUR) * HOUR - HOUR).toISOString(), seconds: 4 * 3600, weekly: true, note: 'Group meeting demo', created_by: 'alice' },
      { id: 5, user: 'bob', group: null, gpu_count: 1, devices: [3], kept_gpus: [3], from: at(1, 9), seconds: 9 * 3600, weekly: false, note: '', created_by: 'alice' },
      { id: 6, user: null, group: null, gpu_count: 6, devices: null, kept_gpus: [0, 1, 2, 3, 4, 5], from: at(2, 22), seconds: 8 * 3600, weekly: true, note: '例行维护', created_by: 'root' },
    ]
  }

  /** The next windows, as GPUs and the timeline have them. */
  windows() {
    return this.reservations.map((one) => {
      const to = new Date(Date.parse(one.from) + one.seconds * 1000).toISOString()
      return { reservation: one.id, id: one.id, user: one.user, group: one.group, gpu_count: one.gpu_count, gpus: one.kept_gpus, from: one.from, to, active: Date.parse(one.from) <= Date.now() }
    })
  }

  route(method, path, text, response) {
    const [, , kind, id] = path.split('/')
    if (kind === 'people') return this.ofPeople(method, decodeURIComponent(id ?? ''), text, response)
    if (kind === 'reservations') return this.ofReservations(method, Number(id), text, response)
    return false
  }

  ofPeople(method, user, text, response) {
    const person = this.people.find((one) => one.user === user)
    if (method === 'PATCH' && person) {
      const { weight = person.weight, vip = person.vip, limits = {} } = JSON.parse(text)
      Object.assign(person, { weight, vip })
      for (const [key, value] of Object.entries(limits)) person.limits[key] = value === null ? null : { value, source: 'user' }
    }
    this.json(response, 200, this.people)
    return true
  }

  ofReservations(method, id, text, response) {
    if (method === 'DELETE') this.reservations = this.reservations.filter((one) => one.id !== id)
    if (method === 'POST') {
      const wish = JSON.parse(text)
      const devices = typeof wish.gpus === 'string' ? wish.gpus.split(',').map(Number) : null
      this.reservations.push({ id: 7 + this.reservations.length, user: wish.user ?? null, group: wish.group ?? null, gpu_count: devices?.length ?? wish.gpus, devices, kept_gpus: devices ?? [0], from: wish.from, seconds: wish.seconds, weekly: wish.weekly, note: wish.note ?? '', created_by: 'alice' })
    }
    this.json(response, method === 'POST' ? 201 : 200, method === 'GET' ? this.reservations : (this.reservations.at(-1) ?? {}))
    return true
  }
}
