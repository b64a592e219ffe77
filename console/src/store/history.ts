import { defineStore } from 'pinia'

import { historyApi } from '@/api/history'

import { viewedResource } from './viewedResource'

export const useGpuHistoryStore = defineStore('gpuHistory', () => viewedResource(historyApi.ofGpu))

export const useTaskHistoryStore = defineStore('taskHistory', () => viewedResource(historyApi.ofTask))
