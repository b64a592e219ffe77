// Rules and settings of the mock.

const whole = (key, usual, least, most, value = usual, source = 'usual') => ({ key, value, usual, source, kind: 'whole', words: null, least, most, about: `Explained by the server: ${key}.` })
const other = (key, kind, usual, value = usual, source = 'usual', words = null) => ({ key, value, usual, source, kind, words, least: null, most: null, about: `Explained by the server: ${key}.` })

export class Settings {
  constructor() {
    this.rules = [
      whole('check_time', 5, 1, 31536000, 10, 'config.yaml:2'), other('use_all_gpus', 'flag', true), other('compete_gpus', 'cards', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 1, 2, 3], 'config.yaml:6'), whole('gpu_left', 1, 0, 1024),
      other('maximize_resource_utilization', 'flag', false, true, 'in memory'), other('foreign', 'word', 'yield', 'yield', 'usual', ['yield', 'fit']), whole('memory_threshold_percent', 20, 0, 100), whole('assign_delay_seconds', 0, 0, 86400), whole('start_confirm_timeout_seconds', 60, 1, 86400),
      whole('retry_config.max_retry_before_backoff', 3, 1, 1000), whole('retry_config.backoff_duration', 600, 0, 31536000), whole('retry_config.max_retries', null, 0, 1000), other('work_dir', 'text', null), other('novel_key', 'text', 'as it is'),
    ]
    this.settings = [other('host', 'text', '127.0.0.1'), whole('port', 29214, 1, 65535, 29214, 'config/berth.yaml:3'), other('auto_port', 'flag', false), other('public_url', 'text', null)]
    this.isRestartNeeded = false
  }

  rule() {
    return { file: 'config.yaml', values: values(this.rules), entries: this.rules }
  }

  setting() {
    return {
      values: values(this.settings), entries: this.settings, addresses: ['192.168.1.5', 'fd00::5', '10.8.0.2'], hostname: 'gpu-server', version: '0.1.0', java: '25.0.1', system: 'Linux 6.12 amd64',
      home: '/home/alice/.berth', url: 'http://127.0.0.1:29214', files: ['config/berth.yaml', 'config.yaml'], restart_needed: this.isRestartNeeded,
    }
  }

  /** The error, or null. */
  change(entries, wish, source) {
    for (const [key, value] of Object.entries(wish)) {
      const entry = entries.find((one) => one.key === key)
      if (entry === undefined) return { code: 'rule.unknown', field: key, detail: `There is no ${key}.` }
      if (key === 'host') return { code: 'setting.only_in_file', field: key, detail: 'Only in the file.' }
      if (key === 'gpu_left' && value > 4) return { code: 'rule.invalid', field: key, detail: `gpu_left is a whole number from 0 to 4, not ${value}.` }
    }
    for (const [key, value] of Object.entries(wish)) {
      const entry = entries.find((one) => one.key === key)
      Object.assign(entry, value === null ? { value: entry.usual, source: 'usual' } : { value, source })
    }
    if ('port' in wish) this.isRestartNeeded = true
    return null
  }
}

const values = (entries) => Object.fromEntries(entries.map(({ key, value }) => [key, value]))
