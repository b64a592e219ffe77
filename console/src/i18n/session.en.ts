// Logging in, and what a user may do.
export default {
  session: {
    as: 'Signed in as {name} ({role})',
    logout: 'Log out',
    title: 'Please sign in',
    lead: 'This page shows what runs on your GPUs, so you have to sign in.',
    how: 'On the machine that Berth runs on, type',
    then: 'and open the link it prints, here. It works once, for ten minutes.',
    ssh: 'Berth on another machine? Forward its port first, then log in there:',
    again: 'I have opened the link',
    user: 'User name',
    password: 'Password',
    login: 'Log in',
    checking: 'Checking …',
    account: 'Your account on this machine. Berth does not store the password.',
    byLink: 'Log in with a link instead',
  },
  role: { viewer: 'Viewer', user: 'User', admin: 'Admin' },
}
