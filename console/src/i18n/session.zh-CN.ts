// 登录与权限。
export default {
  session: {
    as: '当前用户：{name}（{role}）',
    logout: '退出登录',
    title: '请先登录',
    lead: '这里能看到 GPU 上运行的一切，所以服务器需要知道是谁在看。',
    how: '在运行 Berth 的机器上输入',
    then: '然后在这个浏览器里打开它给出的链接。链接十分钟内有效，只能用一次。',
    ssh: 'Berth 在另一台机器上？先转发端口，再在那台机器上登录：',
    again: '链接已打开，继续',
    user: '用户名',
    password: '密码',
    login: '登录',
    checking: '正在验证…',
    account: '使用你在这台机器上的账户。Berth 不保存密码。',
    byLink: '改用链接登录',
  },
  role: { viewer: '只读用户', user: '用户', admin: '管理员' },
}
