import { defineStore } from 'pinia'

import { usageOf } from '@/api/usage'

import { viewedResource } from './viewedResource'

export const useUsageStore = defineStore('usage', () => viewedResource(usageOf))
