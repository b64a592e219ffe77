import { defineStore } from 'pinia'
import { ref, watch } from 'vue'

import { berth } from '@/api/berth'
import { entries } from '@/api/entries'
import type { QueueState, TaskEvent } from '@/api/events'
import type { Redo } from '@/api/findings'
import { history } from '@/api/history'
import { receivers as receiversApi } from '@/api/receivers'
import { CallFailed } from '@/api/request'
import { usageOf } from '@/api/usage'
import type { Card, Scheduler, TaskChange, TaskCreate, TaskDetail } from '@/api/wire'
import { browser, Line, type Connection, type Outside } from '@/live/line'

import { alertsPart } from './alerts'
import { cardsPart } from './cards'
import { commandsPart } from './commands'
import { detailPart } from './detail'
import { entriesPart } from './entries'
import { logPart } from './log'
import { lookPart } from './look'
import { News } from './news'
import { placementPart } from './placement'
import { queuePart } from './queue'
import { runsPart } from './runs'
import { sessionPart } from './session'
import { tasksPart } from './tasks'

const DETAIL_PAUSE_MS = 300

/** All that the views show, in one place, so that they always agree. */
export const useBoard = defineStore('board', () => {
  const now = (): number => Date.now()
  const connection = ref<Connection>('connecting')
  const queue = ref<QueueState | null>(null)
  const formNumber = ref(0)
  const session = sessionPart()
  const cards = cardsPart(now)
  const alerts = alertsPart(now)
  const cardHistory = lookPart(now, history.ofCard)
  const taskHistory = lookPart(now, history.ofTask)
  const usage = lookPart(now, usageOf)
  const receivers = lookPart(now, (_all: null) => receiversApi.all())
  const news = new News()
  const tasks = tasksPart(now, news)
  const detail = detailPart(now, news, tasks.takeAnswer)
  const waiting = queuePart(now)
  const placement = placementPart(now)
  const commands = commandsPart(now)
  const runs = runsPart(now)
  const rules = entriesPart(now, entries.rules, entries.changeRules)
  const settings = entriesPart(now, entries.settings, entries.changeSettings)
  let line: Line | null = null
  const log = logPart(now, (open) => line?.follow(open))
  let detailTimer: ReturnType<typeof setTimeout> | undefined

  function connect(outside: Outside = browser): Line {
    line?.stop()
    line = new Line(
      {
        connection: (state) => (connection.value = state),
        task: takeTask,
        cards: takeCards,
        queue: takeQueue,
        alert: alerts.take,
        log: (event) => {
          log.take(event)
          line?.hasRead(event.task_id, log.offset())
        },
        reload,
        readLog: () => isAnswered(log.poll(), () => log.state.value.failure),
        // Not its health: a stopped scheduler is a problem there, and the browser would write each one down.
        isAlive: () => berth.scheduler().then(() => true, (failure: unknown) => failure instanceof CallFailed && !failure.isOffline),
      },
      outside,
    )
    return line
  }

  function takeTask(event: TaskEvent): void {
    news.came(event.task_id)
    tasks.take(event.task)
    detail.takeSummary(event.task)
    if (event.task_id === detail.id.value) reloadDetailSoon()
    stir()
  }

  function takeCards(now: Card[]): void {
    cards.take(now)
    placement.stir()
  }

  function takeQueue(state: QueueState): void {
    queue.value = state
    if (detail.item.value?.status === 'queued') reloadDetailSoon()
    stir()
  }

  function stir(): void {
    waiting.stir()
    placement.stir()
    runs.stir()
    commands.stir()
  }

  // A task that starts and ends at once sends several events.
  function reloadDetailSoon(): void {
    clearTimeout(detailTimer)
    detailTimer = setTimeout(() => void detail.loadAnew(), DETAIL_PAUSE_MS)
  }

  /** Everything that is shown; whether the server answered. */
  async function reload(isWhole: boolean): Promise<boolean> {
    const wasStranger = session.isStranger.value
    await Promise.all([
      cards.load(),
      isWhole ? tasks.loadWhole() : tasks.load(),
      detail.load(),
      waiting.load(),
      placement.load(),
      commands.load(),
      runs.load(),
      rules.load(),
      settings.load(),
      alerts.load(),
      cardHistory.load(),
      taskHistory.load(),
      usage.load(),
      receivers.load(),
      session.me.value === null && !wasStranger ? session.load() : null,
    ])
    return isAnswered(Promise.resolve(), () => cards.state.failure ?? tasks.state.failure)
  }

  async function isAnswered(work: Promise<void>, failure: () => CallFailed | null): Promise<boolean> {
    await work
    return !(failure()?.isOffline ?? false)
  }

  // Whoever is told 401 anywhere is a stranger everywhere.
  for (const state of [() => cards.state.failure, () => tasks.state.failure, () => detail.state.value.failure, () => waiting.state.failure, () => commands.state.value.failure, () => runs.state.failure, () => rules.state.failure, () => settings.state.failure, () => alerts.state.failure, () => usage.state.value.failure]) {
    watch(state, (failure) => failure && session.notice(failure))
  }
  watch(session.isStranger, (isStranger) => isStranger && line?.stop())

  async function signedInAgain(): Promise<void> {
    await session.load()
    if (!session.isStranger.value) line?.start()
  }

  const noticing = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (failure) {
      if (failure instanceof CallFailed) session.notice(failure)
      throw failure
    }
  }

  function create(form: TaskCreate, key: string): Promise<TaskDetail> {
    return noticing(news.ask(() => berth.create(form, key), detail.takeChanged))
  }

  const clone = (id: number, change: Redo | null): Promise<TaskDetail> => noticing(news.ask(() => berth.clone(id, change), detail.takeChanged))

  async function cancel(id: number): Promise<void> {
    await noticing(news.ask(() => berth.cancel(id), detail.takeChanged))
  }

  async function change(id: number, wish: TaskChange): Promise<void> {
    await noticing(news.ask(() => berth.change(id, wish), detail.takeChanged))
  }

  /** A draft joins the line. Its answer is short, so the task is read again. */
  async function join(id: number): Promise<void> {
    await noticing(berth.join(id))
    await detail.loadAnew()
  }

  async function start(id: number, isForced: boolean): Promise<void> {
    await noticing(berth.start(id, isForced))
    await detail.loadAnew()
  }

  const recover = async (index: number, isForced: boolean): Promise<void> => cards.takeOne(await noticing(berth.recover(index, isForced)))

  const quarantine = async (index: number, reason: string): Promise<void> => cards.takeOne(await noticing(berth.quarantine(index, reason)))

  const turnScheduler = (isOn: boolean): Promise<Scheduler> => noticing(waiting.turn(isOn))

  /** The next form is an empty one, also where one is open already. */
  const freshForm = (): void => void formNumber.value++

  return { connection, queue, alerts, formNumber, freshForm, session, cards, cardHistory, taskHistory, usage, receivers, tasks, detail, log, waiting, placement, commands, runs, rules, settings, connect, reload, signedInAgain, noticing, create, clone, recover, quarantine, cancel, change, join, start, turnScheduler }
})
