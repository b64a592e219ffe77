import { defineStore } from 'pinia'

import { configApi } from '@/api/config'

import { editableResource } from './editableResource'

export const useSettingsStore = defineStore('settings', () => editableResource(configApi.settings, configApi.changeSettings))
