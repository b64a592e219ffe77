import { beforeEach, describe, expect, it } from 'vitest'

import { HIDDEN_MS, EventStream, LOG_POLL_MS, POLL_MS, SILENCE_MS, STEADY_MS, type Connection, type StreamListener, type StreamEnvironment, type Source } from '@/stream/eventStream'

class FakeSource implements Source {
  onopen: (() => void) | null = null
  onerror: (() => void) | null = null
  isClosed = false
  private readonly listeners = new Map<string, (message: { data: string; lastEventId: string }) => void>()
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  addEventListener(kind: string, listener: (message: { data: string; lastEventId: string }) => void): void {
    this.listeners.set(kind, listener)
  }

  close(): void {
    this.isClosed = true
  }

  send(kind: string, data: unknown, lastEventId = ''): void {
    this.listeners.get(kind)!({ data: JSON.stringify(data), lastEventId })
  }
}

/** Time that passes when the test says so. */
class FakeEnvironment implements StreamEnvironment {
  now = 0
  sources: FakeSource[] = []
  private next = 1
  private timers = new Map<number, { at: number; task: () => void }>()

  open(url: string): Source {
    const source = new FakeSource(url)
    this.sources.push(source)
    return source
  }

  setTimer(task: () => void, ms: number): number {
    this.timers.set(this.next, { at: this.now + ms, task })
    return this.next++
  }

  clearTimer(timer: number): void {
    this.timers.delete(timer)
  }

  get pending(): number {
    return this.timers.size
  }

  get last(): FakeSource {
    return this.sources.at(-1)!
  }

  async pass(ms: number): Promise<void> {
    const end = this.now + ms
    for (;;) {
      const due = [...this.timers].filter(([, timer]) => timer.at <= end).sort((a, b) => a[1].at - b[1].at)[0]
      if (due === undefined) break
      this.timers.delete(due[0])
      this.now = due[1].at
      due[1].task()
      await settle()
    }
    this.now = end
  }
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await Promise.resolve()
}

let environment: FakeEnvironment
let states: Connection[]
let asked: string[]
let wholes: boolean[]
let isUp: boolean
let stream: EventStream

function listener(): StreamListener {
  const ask = (what: string) => async (): Promise<boolean> => {
    asked.push(what)
    return isUp
  }
  const tell = (what: string) => (): void => void asked.push(what)
  return {
    connection: (state) => states.push(state),
    task: tell('task'),
    gpus: tell('gpus'),
    queue: tell('queue'),
    alert: tell('alert'),
    model: tell('model'),
    log: tell('log'),
    reload: (isWhole) => {
      wholes.push(isWhole)
      return ask('reload')()
    },
    readLog: ask('readLog'),
    isAlive: ask('isAlive'),
  }
}

const reloads = (): number => asked.filter((what) => what === 'reload').length

beforeEach(() => {
  environment = new FakeEnvironment()
  states = []
  asked = []
  wholes = []
  isUp = true
  stream = new EventStream(listener(), environment)
  stream.start()
})

describe('while the stream is open', () => {
  beforeEach(() => environment.last.onopen!())

  it('is live, and asks for nothing', async () => {
    await environment.pass(SILENCE_MS - 1)
    expect(states.at(-1)).toBe('live')
    expect(asked).toEqual([])
  })

  it('loads everything when told to resynchronise, and passes on what comes', () => {
    environment.last.send('resync', {}, '7')
    environment.last.send('task', { task_id: 1 }, '8')
    environment.last.send('gpu', [])
    expect(asked).toEqual(['reload', 'task', 'gpus'])
  })

  it('asks after a silence whether the server lives, and drops a stream of a dead one', async () => {
    isUp = false
    await environment.pass(SILENCE_MS)
    await settle()
    expect(asked).toContain('isAlive')
    expect(environment.sources[0]!.isClosed).toBe(true)
    expect(states.at(-1)).toBe('offline')
  })

  it('stays with a silent stream of a living one', async () => {
    await environment.pass(SILENCE_MS * 3)
    expect(states.at(-1)).toBe('live')
    expect(environment.sources).toHaveLength(1)
  })

  it('opens the one stream again for a log, and reads on where it was', () => {
    environment.last.send('resync', {}, '7')
    stream.follow({ id: 3, from: 100, banner: false })
    expect(environment.sources[0]!.isClosed).toBe(true)
    expect(environment.last.url).toBe('/api/events?last_event_id=7&log=3&from=100&banner=false')
    expect(states.at(-1)).toBe('live')
    environment.last.onopen!()
    expect(reloads()).toBe(1)
    stream.hasRead(3, 250)
    environment.last.onerror!()
    stream.show()
    expect(environment.last.url).toBe('/api/events?last_event_id=7&log=3&from=250&banner=false')
    stream.follow({ id: 3, from: 0, banner: true })
    expect(environment.last.url).toBe('/api/events?last_event_id=7&log=3&from=0')
    stream.follow(null)
    expect(environment.last.url).toBe('/api/events?last_event_id=7')
  })

  it('ignores a late word of a stream it has left', () => {
    const first = environment.last
    stream.follow({ id: 3, from: 0, banner: false })
    first.send('task', {}, '9')
    first.onerror!()
    expect(asked).toEqual([])
    expect(environment.sources).toHaveLength(2)
  })
})

describe('when the stream drops', () => {
  beforeEach(async () => {
    environment.last.onopen!()
    environment.last.send('resync', {}, '7')
    asked = []
    environment.last.onerror!()
    await settle()
  })

  it('asks at once and then every five seconds', async () => {
    expect(reloads()).toBe(1)
    expect(states.at(-1)).toBe('polling')
    await environment.pass(POLL_MS * 3)
    expect(reloads()).toBe(4)
  })

  it('tries the stream again with pauses that grow to five seconds at most', async () => {
    const times: number[] = []
    for (let tries = 0; tries < 8; tries++) {
      const count = environment.sources.length
      while (environment.sources.length === count) await environment.pass(100)
      times.push(environment.now)
      environment.last.onerror!()
    }
    const pauses = times.map((time, i) => time - (times[i - 1] ?? 0))
    expect(pauses).toEqual([500, 1000, 2000, 4000, 5000, 5000, 5000, 5000])
  })

  it('lets the pauses grow also where the stream opens and ends at once, with something said or not', async () => {
    const times: number[] = []
    for (let tries = 0; tries < 6; tries++) {
      const count = environment.sources.length
      while (environment.sources.length === count) await environment.pass(100)
      times.push(environment.now)
      environment.last.onopen!()
      environment.last.send('resync', {}, '8')
      environment.last.onerror!()
    }
    const pauses = times.map((time, i) => time - (times[i - 1] ?? 0))
    expect(pauses).toEqual([500, 1000, 2000, 4000, 5000, 5000])
  })

  it('begins with a short pause again once a stream has lasted', async () => {
    await environment.pass(500)
    environment.last.onerror!()
    await environment.pass(1000)
    environment.last.onopen!()
    await environment.pass(STEADY_MS)
    const count = environment.sources.length
    environment.last.onerror!()
    await environment.pass(500)
    expect(environment.sources).toHaveLength(count + 1)
  })

  it('loads everything once after a break, and not again for a log that is opened then', async () => {
    await environment.pass(500)
    const before = reloads()
    environment.last.onopen!()
    stream.follow({ id: 3, from: 0, banner: false })
    environment.last.onopen!()
    expect(reloads()).toBe(before + 1)
  })

  it('says offline when nobody answers, and recovers by itself', async () => {
    isUp = false
    await environment.pass(POLL_MS)
    expect(states.at(-1)).toBe('offline')
    isUp = true
    await environment.pass(POLL_MS)
    expect(states.at(-1)).toBe('polling')
    environment.last.onopen!()
    expect(states.at(-1)).toBe('live')
    const before = reloads()
    await environment.pass(POLL_MS * 2)
    expect(reloads()).toBe(before)
    expect(environment.last.url).toContain('last_event_id=7')
  })

  it('reads the open log every three seconds', async () => {
    stream.follow({ id: 3, from: 0, banner: false })
    await environment.pass(LOG_POLL_MS * 2)
    expect(asked.filter((what) => what === 'readLog').length).toBeGreaterThanOrEqual(2)
  })

  it('asks for nothing while nobody looks, and at once when somebody does', async () => {
    stream.hide()
    const before = asked.length
    await environment.pass(60_000)
    expect(asked.length).toBe(before)
    expect(environment.pending).toBe(0)
    stream.show()
    await settle()
    expect(asked.length).toBe(before + 1)
  })

  it('asks for nothing after it was stopped', async () => {
    stream.stop()
    const before = asked.length
    await environment.pass(60_000)
    expect(asked.length).toBe(before)
    expect(environment.pending).toBe(0)
  })
})

describe('while nobody looks', () => {
  beforeEach(() => {
    environment.last.onopen!()
    environment.last.send('resync', {}, '7')
    asked = []
    stream.hide()
  })

  it('keeps the stream for a short absence', async () => {
    await environment.pass(HIDDEN_MS - 1)
    stream.show()
    await environment.pass(SILENCE_MS - 1)
    expect(environment.sources).toHaveLength(1)
    expect(environment.last.isClosed).toBe(false)
    expect(asked).toEqual([])
  })

  it('gives the connection to others after half a minute', async () => {
    await environment.pass(HIDDEN_MS)
    expect(environment.last.isClosed).toBe(true)
    await environment.pass(600_000)
    expect(environment.sources).toHaveLength(1)
    expect(asked).toEqual([])
  })

  it('opens the stream again where it was, and loads everything, when somebody looks', async () => {
    await environment.pass(HIDDEN_MS)
    stream.show()
    expect(environment.last.url).toBe('/api/events?last_event_id=7')
    await settle()
    const before = reloads()
    expect(before).toBe(1)
    environment.last.onopen!()
    expect(wholes.at(-1)).toBe(true)
    expect(reloads()).toBe(before + 1)
    expect(states.at(-1)).toBe('live')
  })

  it('lets go also of a stream that was opened meanwhile', async () => {
    stream.stop()
    stream.start()
    environment.last.onopen!()
    await environment.pass(HIDDEN_MS)
    expect(environment.sources).toHaveLength(2)
    expect(environment.last.isClosed).toBe(true)
  })
})
