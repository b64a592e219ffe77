export default {
  resolve: {
    lost: '失去联系',
    stuck: '无法结束',
    aboutLost: 'Berth 无法确定该任务是否还在运行，GPU 仍由它占用。Berth 会继续查找；您也可以现在决定。',
    aboutStuck: 'Berth 已尝试结束该任务，但它没有退出，GPU 仍由它占用。Berth 会继续尝试；您也可以现在决定。',
    choice: { running: '仍在运行', ended: '已经结束', requeue: '重新启动' },
    risk: {
      running: 'Berth 查找它的进程并恢复监视。',
      ended: '任务记为失败，GPU 释放。如果它其实还在运行，其他任务可能会分到它仍在使用的 GPU。',
      requeue: '任务以新的尝试重新排队。如果旧的尝试其实还在运行，会有两份同时写同样的文件。',
    },
    confirm: { running: '任务 {id} 仍在运行？', ended: '任务 {id} 已经结束？', requeue: '重新启动任务 {id}？' },
    force: '即使进程仍然存在（仅限无法结束的任务）或无法列出进程，也照此处理',
    yes: '我已确认',
    no: '返回',
    done: '任务 {id} 已处理',
    refused: '未执行：{why}',
  },
}
