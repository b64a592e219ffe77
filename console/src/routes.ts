import { createRouter, createWebHistory } from 'vue-router'

import type { Mode } from './api/commandFiles'
import GpuPage from './pages/GpuPage.vue'
import GpusPage from './pages/GpusPage.vue'
import NotFoundPage from './pages/NotFoundPage.vue'
import QueuePage from './pages/QueuePage.vue'
import TaskPage from './pages/TaskPage.vue'
import TasksPage from './pages/TasksPage.vue'

/** Pages that are not needed at once: the first page shows without waiting for them. */
const PAGES = {
  auditPage: () => import('./pages/AuditPage.vue'),
  commandFilesPage: () => import('./pages/CommandFilesPage.vue'),
  learnedPage: () => import('./pages/LearnedPage.vue'),
  modelsPage: () => import('./pages/ModelsPage.vue'),
  newTaskPage: () => import('./pages/NewTaskPage.vue'),
  nodesPage: () => import('./pages/NodesPage.vue'),
  peoplePage: () => import('./pages/PeoplePage.vue'),
  reservationsPage: () => import('./pages/ReservationsPage.vue'),
  rulesPage: () => import('./pages/RulesPage.vue'),
  runsPage: () => import('./pages/RunsPage.vue'),
  settingsPage: () => import('./pages/SettingsPage.vue'),
  timelinePage: () => import('./pages/TimelinePage.vue'),
  usagePage: () => import('./pages/UsagePage.vue'),
}

/** Loads the other pages in the background, so that they open at once, also while the server does not answer. */
export async function loadAllPages(): Promise<void> {
  for (const load of Object.values(PAGES)) await load()
}

export const router = createRouter({
  history: createWebHistory('/ui/'),
  routes: [
    { path: '/', redirect: { name: 'gpus' } },
    { path: '/gpu', name: 'gpus', component: GpusPage, meta: { title: 'nav.gpus' } },
    { path: '/gpu/:index(\\d+)', name: 'gpu', component: GpuPage, props: (route) => ({ index: Number(route.params.index) }), meta: { title: 'gpu.title' } },
    { path: '/tasks', name: 'tasks', component: TasksPage, meta: { title: 'nav.tasks' } },
    { path: '/queue', name: 'queue', component: QueuePage, meta: { title: 'nav.queue' } },
    { path: '/timeline', name: 'timeline', component: PAGES.timelinePage, meta: { title: 'timeline.title' } },
    { path: '/learned', name: 'learned', component: PAGES.learnedPage, meta: { title: 'learned.title' } },
    { path: '/tasks/:id(\\d+)', name: 'task', component: TaskPage, props: (route) => ({ id: Number(route.params.id) }), meta: { title: 'task.title' } },
    {
      path: '/new',
      name: 'new',
      component: PAGES.newTaskPage,
      props: (route) => ({ from: /^\d+$/.test(String(route.query.from)) ? Number(route.query.from) : null, model: typeof route.query.model === 'string' ? route.query.model : null }),
      meta: { title: 'nav.new' },
    },
    { path: '/command', name: 'command', component: PAGES.commandFilesPage, props: (route): { mode: Mode } => ({ mode: route.query.mode === 'multi' ? 'multi' : 'single' }), meta: { title: 'nav.command' } },
    { path: '/state', name: 'state', component: PAGES.runsPage, meta: { title: 'nav.state' } },
    { path: '/models', name: 'models', component: PAGES.modelsPage, meta: { title: 'nav.models' } },
    { path: '/nodes', name: 'nodes', component: PAGES.nodesPage, meta: { title: 'nodes.title' } },
    { path: '/people', name: 'people', component: PAGES.peoplePage, meta: { title: 'people.title' } },
    { path: '/reservations', name: 'reservations', component: PAGES.reservationsPage, meta: { title: 'reservations.title' } },
    { path: '/usage', name: 'usage', component: PAGES.usagePage, meta: { title: 'usage.title' } },
    { path: '/rule', name: 'rule', component: PAGES.rulesPage, meta: { title: 'rule.title' } },
    {
      path: '/audit',
      name: 'audit',
      component: PAGES.auditPage,
      props: (route) => ({ task: /^\d+$/.test(String(route.query.task)) ? String(route.query.task) : '', actor: typeof route.query.actor === 'string' ? route.query.actor : '' }),
      meta: { title: 'audit.title' },
    },
    { path: '/setting', name: 'setting', component: PAGES.settingsPage, meta: { title: 'setting.title' } },
    { path: '/:rest(.*)*', name: 'nowhere', component: NotFoundPage, meta: { title: 'notFound.title' } },
  ],
  scrollBehavior: (_to, _from, saved) => saved ?? { top: 0 },
})
