import { createRouter, createWebHistory } from 'vue-router'

import type { Mode } from './api/commandFiles'
import AuditPage from './pages/AuditPage.vue'
import CommandFilesPage from './pages/CommandFilesPage.vue'
import GpuPage from './pages/GpuPage.vue'
import GpusPage from './pages/GpusPage.vue'
import LearnedPage from './pages/LearnedPage.vue'
import ModelsPage from './pages/ModelsPage.vue'
import NewTaskPage from './pages/NewTaskPage.vue'
import NotFoundPage from './pages/NotFoundPage.vue'
import QueuePage from './pages/QueuePage.vue'
import RulesPage from './pages/RulesPage.vue'
import RunsPage from './pages/RunsPage.vue'
import SettingsPage from './pages/SettingsPage.vue'
import TaskPage from './pages/TaskPage.vue'
import TasksPage from './pages/TasksPage.vue'
import TimelinePage from './pages/TimelinePage.vue'
import UsagePage from './pages/UsagePage.vue'

export const router = createRouter({
  history: createWebHistory('/ui/'),
  routes: [
    { path: '/', redirect: { name: 'gpus' } },
    { path: '/gpu', name: 'gpus', component: GpusPage, meta: { title: 'nav.gpus' } },
    { path: '/gpu/:index(\\d+)', name: 'gpu', component: GpuPage, props: (route) => ({ index: Number(route.params.index) }), meta: { title: 'gpu.title' } },
    { path: '/tasks', name: 'tasks', component: TasksPage, meta: { title: 'nav.tasks' } },
    { path: '/queue', name: 'queue', component: QueuePage, meta: { title: 'nav.queue' } },
    { path: '/timeline', name: 'timeline', component: TimelinePage, meta: { title: 'timeline.title' } },
    { path: '/learned', name: 'learned', component: LearnedPage, meta: { title: 'learned.title' } },
    { path: '/tasks/:id(\\d+)', name: 'task', component: TaskPage, props: (route) => ({ id: Number(route.params.id) }), meta: { title: 'task.title' } },
    {
      path: '/new',
      name: 'new',
      component: NewTaskPage,
      props: (route) => ({ from: /^\d+$/.test(String(route.query.from)) ? Number(route.query.from) : null, model: typeof route.query.model === 'string' ? route.query.model : null }),
      meta: { title: 'nav.new' },
    },
    { path: '/command', name: 'command', component: CommandFilesPage, props: (route): { mode: Mode } => ({ mode: route.query.mode === 'multi' ? 'multi' : 'single' }), meta: { title: 'nav.command' } },
    { path: '/state', name: 'state', component: RunsPage, meta: { title: 'nav.state' } },
    { path: '/models', name: 'models', component: ModelsPage, meta: { title: 'nav.models' } },
    { path: '/usage', name: 'usage', component: UsagePage, meta: { title: 'usage.title' } },
    { path: '/rule', name: 'rule', component: RulesPage, meta: { title: 'rule.title' } },
    {
      path: '/audit',
      name: 'audit',
      component: AuditPage,
      props: (route) => ({ task: /^\d+$/.test(String(route.query.task)) ? String(route.query.task) : '', actor: typeof route.query.actor === 'string' ? route.query.actor : '' }),
      meta: { title: 'audit.title' },
    },
    { path: '/setting', name: 'setting', component: SettingsPage, meta: { title: 'setting.title' } },
    { path: '/:rest(.*)*', name: 'nowhere', component: NotFoundPage, meta: { title: 'notFound.title' } },
  ],
  scrollBehavior: (_to, _from, saved) => saved ?? { top: 0 },
})
