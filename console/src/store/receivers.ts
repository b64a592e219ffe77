import { defineStore } from 'pinia'

import { receiverApi } from '@/api/receivers'

import { viewedResource } from './viewedResource'

export const useReceiversStore = defineStore('receivers', () => viewedResource((_all: null) => receiverApi.all()))
