import { defineStore } from 'pinia'

import { configApi } from '@/api/config'

import { editableResource } from './editableResource'

export const useRulesStore = defineStore('rules', () => editableResource(configApi.rules, configApi.changeRules))
