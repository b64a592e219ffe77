import { defineStore } from 'pinia'

import { peopleApi } from '@/api/people'

import { editableResource } from './editableResource'

/** Everybody's shares, use and limits. */
export const usePeopleStore = defineStore('people', () => editableResource(peopleApi.all, peopleApi.change))
