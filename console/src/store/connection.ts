import { defineStore } from 'pinia'
import { ref, watch } from 'vue'

import type { Alert } from '@/api/alerts'
import type { QueueState, TaskEvent } from '@/api/events'
import type { Gpu } from '@/api/gpus'
import { queueApi } from '@/api/queue'
import { CallFailed } from '@/api/request'
import { browser, EventStream, type Connection, type StreamEnvironment } from '@/stream/eventStream'

import { useAlertsStore } from './alerts'
import { useAuditStore } from './audit'
import { useCommandFilesStore } from './commandFiles'
import { useGpusStore } from './gpus'
import { useGpuHistoryStore, useTaskHistoryStore } from './history'
import { useLearnedStore } from './learned'
import { useLogStore } from './log'
import { useModelsStore } from './models'
import { useOpenTaskStore } from './openTask'
import { usePlacementStore } from './placement'
import { useQueueStore } from './queue'
import { usePeopleStore } from './people'
import { useReceiversStore } from './receivers'
import { useReservationsStore } from './reservations'
import { useRulesStore } from './rules'
import { useRunsStore } from './runs'
import { useSessionStore } from './session'
import { useSettingsStore } from './settings'
import { useTaskAnswers } from './taskAnswers'
import { useTasksStore } from './tasks'
import { useTimelineStore } from './timeline'
import { useUsageStore } from './usage'
import { useWhyStore } from './why'

/** The event stream of this tab. It passes each event to the stores of its subject. */
export const useConnectionStore = defineStore('connection', () => {
  const state = ref<Connection>('connecting')
  const session = useSessionStore()
  const gpus = useGpusStore()
  const tasks = useTasksStore()
  const openTask = useOpenTaskStore()
  const answers = useTaskAnswers()
  const log = useLogStore()
  const queue = useQueueStore()
  const placement = usePlacementStore()
  const why = useWhyStore()
  const timeline = useTimelineStore()
  const commandFiles = useCommandFilesStore()
  const runs = useRunsStore()
  const models = useModelsStore()
  const alerts = useAlertsStore()
  /** Stores without events of their own. Each loads only while a page shows it. */
  const polled = [useRulesStore(), useSettingsStore(), useGpuHistoryStore(), useTaskHistoryStore(), useUsageStore(), useReceiversStore(), useLearnedStore(), useAuditStore(), usePeopleStore(), useReservationsStore()]
  let stream: EventStream | null = null

  function connect(environment: StreamEnvironment = browser): EventStream {
    stream?.stop()
    stream = new EventStream(
      {
        connection: (now) => (state.value = now),
        task: takeTask,
        gpus: takeGpus,
        queue: takeQueue,
        alert: takeAlert,
        model: models.reloadSoon,
        log: (event) => {
          log.take(event)
          stream?.hasRead(event.task_id, log.offset())
        },
        reload,
        readLog: () => isAnswered(log.poll(), () => log.state.failure),
        // Not /api/health: it answers 503 when the scheduler is stopped, and browsers log every 503.
        isAlive: () => queueApi.scheduler().then(() => true, (failure: unknown) => failure instanceof CallFailed && !failure.isOffline),
      },
      environment,
    )
    return stream
  }

  function takeTask(event: TaskEvent): void {
    answers.markChanged(event.task_id)
    tasks.take(event.task)
    openTask.takeSummary(event.task)
    why.takeTask(event.task)
    if (event.task_id === openTask.id) openTask.reloadSoon()
    reloadTaskViewsSoon()
  }

  function takeAlert(alert: Alert): void {
    alerts.take(alert)
    // A model may have been set aside.
    models.reloadSoon()
  }

  function takeGpus(now: Gpu[]): void {
    gpus.take(now)
    placement.reloadSoon()
  }

  function takeQueue(counts: QueueState): void {
    queue.counts = counts
    if (openTask.item?.status === 'queued') openTask.reloadSoon()
    reloadTaskViewsSoon()
  }

  function reloadTaskViewsSoon(): void {
    for (const store of [queue, placement, why, timeline, runs, commandFiles, models]) store.reloadSoon()
  }

  /** Loads what is shown. True if the server answered. */
  async function reload(isWhole: boolean): Promise<boolean> {
    const needsSession = session.me === null && !session.isSignedOut
    await Promise.all([
      gpus.load(),
      isWhole ? tasks.loadWhole() : tasks.load(),
      ...[openTask, queue, placement, why, timeline, commandFiles, runs, models, alerts, ...polled].map((store) => store.load()),
      needsSession ? session.load() : null,
    ])
    return isAnswered(Promise.resolve(), () => gpus.state.failure ?? tasks.state.failure)
  }

  async function isAnswered(work: Promise<void>, failure: () => CallFailed | null): Promise<boolean> {
    await work
    return !(failure()?.isOffline ?? false)
  }

  // A browser allows few connections to a host, so the open log comes through this stream too.
  watch(() => log.followed, (followed) => stream?.follow(followed), { flush: 'sync' })
  watch(() => session.isSignedOut, (isSignedOut) => isSignedOut && stream?.stop())

  /** Asks who is signed in, and starts the stream if the server knows the caller. */
  async function signIn(): Promise<void> {
    await session.load()
    if (!session.isSignedOut) stream?.start()
  }

  return { state, connect, reload, signIn }
})
