import { defineStore } from 'pinia'

import { nodesApi } from '@/api/nodes'

import { viewedResource } from './viewedResource'

/** The machines that run tasks. */
export const useNodesStore = defineStore('nodes', () => viewedResource((_key: 'all') => nodesApi.all()))
